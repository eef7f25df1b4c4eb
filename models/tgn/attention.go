package tgn

import (
	"fmt"
	"iter"
	"math"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/internal/memory"
	"dgsbench/models/ring"
	"dgsbench/nn"
)

// attention embeds a node by layers of attention to the nodes that it met
// last. It does not depend on the time of the question. An edge is [cos of
// the time from the edge to the neighbour's last update || features].
type attention struct {
	core     *memory.Core
	opts     AttentionOptions
	layers   []nn.AttentionParams
	ring     *ring.Ring
	features *ring.Rows
	width    int // columns of an event's features

	marked []bool // scratch of Affected
	list   []int32
}

func newAttention(c *memory.Core, o *Options, s models.Setup) *attention {
	a := &attention{
		core: c, opts: o.Attention, ring: ring.New(s.NumNodes, o.Attention.Neighbours),
		width: memory.MessageWidth(s.NumFeat), marked: make([]bool, s.NumNodes),
	}
	a.features = a.ring.NewRows(c.Net.Device(), s.NumFeat, s.MaxBatch)
	in := o.Memory.Size
	for i := range o.Attention.Layers {
		a.layers = append(a.layers, newLayer(c.Net, i, in, o.Memory.Time+a.width, a.opts))
		in = a.opts.Size
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

// Steps is the number of layers.
func (a *attention) Steps() int { return a.opts.Layers }

// Most is the centres and what is some steps away.
func (a *attention) Most(centres int) int {
	rows, _ := a.ring.Most(centres, a.opts.Layers)
	return rows
}

// Insert makes the batch's events the last ones of their nodes.
func (a *attention) Insert(b datasets.Stream, x kernels.Buffer) {
	a.ring.Insert(b)
	a.features.Insert(x)
}

// Affected are the nodes, and those that have one of them among their
// neighbours, as many steps away as there are layers.
func (a *attention) Affected(nodes []int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		a.list = append(a.list[:0], nodes...)
		for _, n := range nodes {
			a.marked[n] = true
		}
		for range a.opts.Layers {
			a.list = a.ring.Spread(a.marked, a.list)
		}
		for _, n := range a.list {
			a.marked[n] = false
		}
		for _, n := range a.list {
			if !yield(n) {
				return
			}
		}
	}
}

// Reset forgets all events.
func (a *attention) Reset() {
	a.ring.Reset()
	a.features.Reset()
}

// Tensors copies the last events of every node.
func (a *attention) Tensors() []models.Tensor {
	return append(a.ring.Tensors(), a.features.Tensor("ring.features"))
}

// CheckTensors implements models.State.
func (a *attention) CheckTensors(saved []models.Tensor) error {
	if err := models.CheckBounded(a.Tensors(), saved); err != nil {
		return err
	}
	return a.ring.CheckTensors(saved[:len(saved)-1])
}

// SetTensors implements models.State.
func (a *attention) SetTensors(saved []models.Tensor) {
	last := len(saved) - 1
	a.ring.SetTensors(saved[:last])
	a.features.Restore(saved[last])
}
