// Package tgn is TGN in the form that PyTorch Geometric gives it. A node is
// embedded as its memory (TGN-ID), or by attention of its memory to those of
// the nodes that it met last (TGN-attn).
package tgn

import (
	"cmp"
	"fmt"

	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/ring"
	"dgsbench/protocol"
)

// Options of TGN.
type Options struct {
	Embedding Embedding        `yaml:"embedding"` // how a node is embedded
	Memory    memory.Options   `yaml:"memory"`
	Attention AttentionOptions `yaml:"attention"` // for embedding: attention
	Optimiser memory.Optimiser `yaml:"optimiser"`

	memory.Classification `yaml:",inline"`
}

// Embedding is how a node is embedded.
type Embedding string

const (
	// Identity takes the memory (TGN-ID).
	Identity Embedding = "identity"
	// Attention looks at the nodes that it met last, too (TGN-attn).
	Attention Embedding = "attention"
)

// AttentionOptions are those of the layers of attention.
type AttentionOptions struct {
	Size       int     `yaml:"size"`       // D: columns of an embedding
	Heads      int     `yaml:"heads"`      // they share the columns
	Layers     int     `yaml:"layers"`     // how many steps away it looks
	Neighbours int     `yaml:"neighbours"` // last events of a node that it looks at
	Dropout    float64 `yaml:"dropout"`    // share of the attention weights dropped in training
}

// Defaults are those of PyTorch Geometric's example, for TGN-attn, but for the
// learning rate (docs/tuning.md).
func Defaults() *Options {
	return &Options{
		Embedding: Attention, Memory: memory.Defaults(),
		Attention: AttentionOptions{Size: 100, Heads: 2, Layers: 1, Neighbours: 10, Dropout: .1},
		Optimiser: memory.Optimiser{LR: 1e-3}, Classification: memory.ClassificationDefaults(),
	}
}

// Validate returns an error for the first value that is out of range.
func (o *Options) Validate() error {
	a := o.Attention
	return cmp.Or(
		models.OneOf("embedding", o.Embedding, Identity, Attention),
		o.Memory.Validate(),
		models.InRange("attention.heads", a.Heads, 1, 64),
		models.Expect(a.Heads > 0 && a.Size >= 1 && a.Size <= 4096 && a.Size%a.Heads == 0, "attention.size", a.Size,
			fmt.Sprintf("a multiple of heads %d up to 4096", a.Heads)),
		models.InRange("attention.layers", a.Layers, 1, 3),
		models.InRange("attention.neighbours", a.Neighbours, 1, 100),
		models.Expect(a.Dropout >= 0 && a.Dropout < 1, "attention.dropout", a.Dropout, "0 <= dropout < 1"),
		o.Optimiser.Validate(),
		o.Check(o.Optimiser),
	)
}

// ReachesOut reports whether an embedding is made of neighbours' states too.
func (o *Options) ReachesOut() bool { return o.Embedding == Attention }

// Config is the model of these options.
func (o *Options) Config() memory.Config {
	return memory.Config{Memory: o.Memory, Optimiser: o.Optimiser, Classification: o.Classification, Embedding: o.build}
}

func (o *Options) build(c *memory.Core, s models.Setup) memory.Embedding {
	if o.Embedding == Identity {
		return memory.Embedding{Width: o.Memory.Size}
	}
	return memory.Embedding{Width: o.Attention.Size, Neighbours: newAttention(c, o, s)}
}

// bytes is the memory of a model: attention keeps neighbours, the numbers and
// times of their events, and their features.
func (o *Options) bytes(s models.Setup) int64 {
	if o.Embedding == Identity {
		return memory.Bytes(s, o.Config(), o.Memory.Size, 0, func(centres int) int { return centres })
	}
	place := 4 + 4 + 8 + 4*s.NumFeat
	reads := func(centres int) int {
		rows, _ := ring.Most(s.NumNodes, o.Attention.Neighbours, centres, o.Attention.Layers)
		return rows
	}
	return memory.Bytes(s, o.Config(), o.Attention.Size, int64(o.Attention.Neighbours*place+4+4+1), reads)
}

func init() {
	models.Register(models.Kind{
		Name: "tgn", Class: protocol.Learned, Memory: true, Features: models.FeaturesOptional,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return Defaults() },
		Bytes:   func(s models.Setup, o models.Options) int64 { return o.(*Options).bytes(s) },
		New: func(s models.Setup, o models.Options) (models.Model, error) {
			return memory.Build(s, o.(*Options).Config())
		},
	})
}
