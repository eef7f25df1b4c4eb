package memory

import (
	"dgsbench/kernels"
	"dgsbench/nn"
)

// aside is what the nodes of a batch had before it, to be put back if the batch
// is refused.
type aside struct {
	core     *Core
	nodes    []int32
	updated  []float64
	memories kernels.Buffer
	order    []int32 // 0, 1, 2 ...
	move     *nn.Move
}

// newAside returns an aside with room for the memories of most nodes.
func newAside(c *Core, most int) *aside {
	return &aside{
		core: c, memories: c.device.NewBuffer(most * c.opts.Size), order: upTo(most), move: nn.NewMove(c.device, most, c.opts.Size),
	}
}

// copy copies memories and times of the nodes.
func (a *aside) copy(nodes []int32) {
	a.nodes, a.updated = append(a.nodes[:0], nodes...), a.updated[:0]
	for _, n := range nodes {
		a.updated = append(a.updated, a.core.Updated[n])
	}
	a.move.Run(a.memories, a.order[:len(nodes)], a.core.Net.Buffer(a.core.Table), nodes)
}

// putBack puts them back.
func (a *aside) putBack() {
	a.move.Run(a.core.Net.Buffer(a.core.Table), a.nodes, a.memories, a.order[:len(a.nodes)])
	for i, n := range a.nodes {
		a.core.Updated[n] = a.updated[i]
	}
}
