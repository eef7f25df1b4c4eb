// Package tgn is TGN in the form that PyTorch Geometric gives it. A node is
// embedded as its memory (TGN-ID), or by attention of its memory to those of
// the nodes that it met last (TGN-attn).
package tgn

import (
	"cmp"

	"dgsbench/models"
	"dgsbench/models/internal/memory"
)

// Options of TGN.
type Options struct {
	Embedding Embedding               `yaml:"embedding"` // how a node is embedded
	Memory    memory.Options          `yaml:"memory"`
	Attention memory.AttentionOptions `yaml:"attention"` // for embedding: attention
	Optimiser memory.Optimiser        `yaml:"optimiser"`

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

// Defaults are those of PyTorch Geometric's example, for TGN-attn, but for the
// learning rate (docs/tuning.md).
func Defaults() *Options {
	return &Options{
		Embedding: Attention, Memory: memory.Defaults(),
		Attention: memory.AttentionOptions{Size: 100, Heads: 2, Layers: 1, Neighbours: 10, Dropout: .1},
		Optimiser: memory.Optimiser{LR: 1e-3}, Classification: memory.ClassificationDefaults(),
	}
}

// Validate returns an error for the first value that is out of range.
func (o *Options) Validate() error {
	return cmp.Or(
		models.OneOf("embedding", o.Embedding, Identity, Attention),
		o.Memory.Validate(),
		o.Attention.Validate(),
		o.Optimiser.Validate(),
		o.Check(o.Optimiser),
	)
}

// ReachesOut reports whether an embedding is made of neighbours' states too.
func (o *Options) ReachesOut() bool { return o.Embedding == Attention }

// Config is the model of these options.
func (o *Options) Config() memory.Config {
	c := memory.Config{Memory: o.Memory, Optimiser: o.Optimiser, Classification: o.Classification}
	if o.Embedding == Attention {
		c.Attention = &o.Attention
	}
	return c
}

func init() { memory.Register("tgn", func() models.Options { return Defaults() }) }
