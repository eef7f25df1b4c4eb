package memory

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/nodelist"
	"dgsbench/models/ring"
	"dgsbench/nn"
)

// attention embeds a node by layers of attention of its memory to those of the
// nodes that it met last. It does not depend on the time of the question. An
// edge is [cos of the time from the edge to the neighbour's last update ||
// features]. A nil attention embeds a node as its memory.
type attention struct {
	core   *Core
	opts   AttentionOptions
	layers []nn.AttentionParams
	ring   *ring.Ring
	near   *nodelist.List // scratch of affected
	// projected, where ranking has set it, is told of new events.
	projected *projections
}

func newAttention(c *Core, o AttentionOptions, s models.Setup) *attention {
	a := &attention{
		core: c, opts: o, ring: ring.New(c.device, s.NumNodes, o.Neighbours, s.NumFeat, s.MaxBatch), near: nodelist.New(s.NumNodes),
	}
	in := c.opts.Size
	for i := range o.Layers {
		a.layers = append(a.layers, newLayer(c.Net, i, in, c.opts.Time+c.width, o))
		in = o.Size
	}
	return a
}

// newLayer draws a layer's parameters, uniform in +-1/sqrt(columns).
func newLayer(net *nn.Network, i, in, edge int, o AttentionOptions) nn.AttentionParams {
	prefix := "conv."
	if i > 0 {
		prefix = fmt.Sprintf("conv%d.", i+1)
	}
	matrix := func(name string, in int) *nn.Node {
		return net.Weight(prefix+name+".weight", net.Uniform(in*o.Size, 1/math.Sqrt(float64(in))), in, o.Size)
	}
	bias := func(name string) *nn.Node {
		return net.Weight(prefix+name+".bias", net.Uniform(o.Size, 1/math.Sqrt(float64(in))), o.Size)
	}
	return nn.AttentionParams{
		Heads: o.Heads,
		Query: matrix("lin_query", in), QueryBias: bias("lin_query"),
		Key: matrix("lin_key", in), KeyBias: bias("lin_key"),
		Value: matrix("lin_value", in), ValueBias: bias("lin_value"),
		Edge: matrix("lin_edge", edge),
		Skip: matrix("lin_skip", in), SkipBias: bias("lin_skip"),
	}
}

// maxMemories is the largest number of memories that the embeddings of that many
// centres are made of.
func (a *attention) maxMemories(centres int) int {
	if a == nil {
		return centres
	}
	rows, _ := a.ring.Bounds(centres, a.opts.Layers)
	return rows
}

// insert makes the events of a batch that has been scored the last ones of
// their nodes; x has their features, a row an event.
func (a *attention) insert(b datasets.Stream, x kernels.Buffer) {
	if a == nil {
		return
	}
	a.ring.Insert(b, x)
	if a.projected != nil {
		a.projected.forget()
	}
}

// affected are the nodes whose embeddings are new when these nodes have new
// memories, and took part in new events: they, and those that have one of them
// among their neighbours, as many steps away as there are layers.
func (a *attention) affected(nodes []int32) iter.Seq[int32] {
	if a == nil {
		return slices.Values(nodes)
	}
	return func(yield func(int32) bool) {
		a.near.Reset()
		a.near.Add(nodes...)
		for range a.opts.Layers {
			a.ring.Spread(a.near)
		}
		slices.Values(a.near.Nodes)(yield)
	}
}

func (a *attention) reset() {
	if a != nil {
		a.ring.Reset()
	}
}

// fields are the last events of every node in snapshots.
func (a *attention) fields() models.Fields {
	if a == nil {
		return nil
	}
	return a.ring.Fields()
}
