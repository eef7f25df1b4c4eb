package tpnet

import (
	"cmp"

	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Options of TPNet's pair features and the head on them.
type Options struct {
	Orders    int          `yaml:"orders"`    // steps of the longest walks
	Dimension int          `yaml:"dimension"` // numbers of a node for each order
	Decay     float64      `yaml:"decay"`     // lambda: a step of a walk that is t seconds old counts exp(-lambda t)
	Head      head.Options `yaml:"head"`
}

// Defaults returns the settings that docs/models/tpnet.md has results of.
func Defaults() *Options {
	return &Options{Orders: 3, Dimension: 64, Decay: 5e-6, Head: head.Options{Hidden: []int{64, 32}, Norm: nn.NoNorm, LR: 1e-3, PosWeight: 1}}
}

// Validate returns an error for the first value that is out of range.
func (o *Options) Validate() error {
	return cmp.Or(
		models.InRange("orders", o.Orders, 1, 4),
		models.InRange("dimension", o.Dimension, 1, 4096),
		models.InRange("decay", o.Decay, 0, 1),
		models.InOption("head", cmp.Or(o.Head.Validate(), models.InRange("pos_weight", o.Head.PosWeight, 1, 1))),
	)
}

// bytes returns the memory of a model: the walks and products of all nodes, and the
// walks, products and rows of those that are candidates.
func (o *Options) bytes(s models.Setup) int64 {
	walks := (o.Orders + 1) * o.Dimension
	node := 4*(walks+o.Dimension+o.own()) + 4 + 4 + 1
	candidate := 4 * (walks + 2*o.across() + o.across() + 2*o.own())
	return int64(node)*int64(s.NumNodes) + int64(candidate)*int64(slots(s.NumNodes))
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
