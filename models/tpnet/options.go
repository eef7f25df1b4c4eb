package tpnet

import (
	"cmp"

	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Options of TPNet: walks and features of pairs, the encoder, and the head on both.
type Options struct {
	Orders    int          `yaml:"orders"`    // steps of the longest walks
	Dimension int          `yaml:"dimension"` // numbers of a node for each order
	Decay     float64      `yaml:"decay"`     // lambda: a step of a walk that is t seconds old counts exp(-lambda t)
	Encoder   Encoder      `yaml:"encoder"`
	Head      head.Options `yaml:"head"`
}

// Encoder are the options of the embeddings of both nodes of a pair.
type Encoder struct {
	Neighbours int     `yaml:"neighbours"` // last ones of a node that count; 0 is no encoder
	Channels   int     `yaml:"channels"`   // numbers of a neighbour, and of an embedding
	Time       int     `yaml:"time"`       // columns of the time encoding
	Layers     int     `yaml:"layers"`     // of the mixer
	Dropout    float64 `yaml:"dropout"`    // share of units dropped in training
}

// Defaults returns the settings that docs/models/tpnet.md has results of.
func Defaults() *Options {
	return &Options{
		Orders: 3, Dimension: 64, Decay: 5e-6, Encoder: Encoder{Neighbours: 10, Channels: 16, Time: 16, Layers: 1},
		Head: head.Options{Hidden: []int{64, 32}, Norm: nn.NoNorm, LR: 3e-3, PosWeight: 1},
	}
}

// Validate returns an error for the first value that is out of range.
func (o *Options) Validate() error {
	return cmp.Or(
		models.InRange("orders", o.Orders, 1, 4),
		models.InRange("dimension", o.Dimension, 1, 4096),
		models.InRange("decay", o.Decay, 0, 1),
		models.InRange("encoder.neighbours", o.Encoder.Neighbours, 0, 100),
		models.InRange("encoder.channels", o.Encoder.Channels, 1, 1024),
		models.InRange("encoder.time", o.Encoder.Time, 1, 1024),
		models.InRange("encoder.layers", o.Encoder.Layers, 1, 4),
		models.Expect(o.Encoder.Dropout >= 0 && o.Encoder.Dropout < 1, "encoder.dropout", o.Encoder.Dropout, "0 <= dropout < 1"),
		models.InOption("head", cmp.Or(o.Head.Validate(), models.InRange("pos_weight", o.Head.PosWeight, 1, 1))),
	)
}

// bytes returns the memory of a model: the walks, products and neighbours of all nodes,
// the walks, products and rows of those that are candidates, and what is made of
// the tokens of a batch or of the nodes that are asked for.
func (o *Options) bytes(s models.Setup) int64 {
	const (
		inputs, layer, dropped = 5, 55, 11 // numbers of a token for each column and channel, with their gradients: about
		parameter              = 4 * 4     // with gradient and moments
	)
	walks, e := (o.Orders+1)*o.Dimension, o.Encoder
	node := 4*(walks+o.Dimension+o.own()) + 4 + 4 + 1
	candidate := 4 * (walks + 2*o.across() + o.across() + 2*o.own())
	batch := 0
	if e.Neighbours > 0 {
		node += e.Neighbours*(4+4+8+4*s.NumFeat) + 4 + 4 // of the ring
		channel, columns := layer, 3*o.own()+2*o.across()+e.Time+s.NumFeat
		if e.Dropout > 0 {
			channel += dropped
		}
		token := inputs*columns + channel*e.Channels*e.Layers
		batch = 4*token*2*e.Neighbours*max(2*s.MaxBatch, encoded) + 4*(1+encoded)*(walks+2*e.Neighbours*o.across())
		batch += parameter * 2 * e.Channels * (columns + (1+4*e.Layers)*e.Channels)
	}
	return int64(node)*int64(s.NumNodes) + int64(candidate)*int64(slots(s.NumNodes)) + int64(batch)
}

// Numbers of columns: of a source with a destination, and of a node with itself.
func (o *Options) across() int { return (o.Orders + 1) * (o.Orders + 1) }
func (o *Options) own() int    { return (o.Orders + 1) * (o.Orders + 2) / 2 }

func init() {
	models.Register(models.Kind{
		Name: "tpnet", Class: protocol.Learned, Memory: true,
		Tasks:   []protocol.Task{protocol.LinkPrediction},
		Options: func() models.Options { return Defaults() },
		Bytes:   func(s models.Setup, o models.Options) int64 { return o.(*Options).bytes(s) },
		New:     func(s models.Setup, o models.Options) (models.Model, error) { return New(s, o.(*Options)) },
	})
}
