package dgs

import (
	"dgsbench/kernels"
	"dgsbench/models/internal/lastwrite"
)

// touched are the nodes whose states a batch reads, those that it writes
// first, and the gradients of the loss for their states.
type touched struct {
	device   kernels.Device
	nodes    []int32
	position []int32 // of a node in nodes, +1; 0 between batches
	size     int

	weights   kernels.Buffer // nodes x size
	rows      kernels.Ints   // their rows in tables of all nodes
	index     kernels.Ints   // of add
	positions []int32
}

func newTouched(d kernels.Device, nodes, most, size int) touched {
	return touched{
		device: d, position: make([]int32, nodes), size: size,
		weights: d.NewBuffer(most * size), rows: d.NewInts(most), index: d.NewInts(2 * most), positions: make([]int32, 2*most),
	}
}

// list starts with a batch: no gradients yet.
func (t *touched) list(writes []lastwrite.Write, negatives []int32) {
	for _, n := range t.nodes {
		t.position[n] = 0
	}
	t.nodes = t.nodes[:0]
	for _, w := range writes {
		t.see(w.Self)
	}
	for _, n := range negatives {
		t.see(n)
	}
	t.device.Zero(len(t.nodes)*t.size, t.weights)
	t.device.WriteInts(t.rows, t.nodes)
}

func (t *touched) see(node int32) {
	if t.position[node] == 0 {
		t.nodes = append(t.nodes, node)
		t.position[node] = int32(len(t.nodes))
	}
}

// add adds the gradients (rows of size, one for each of the nodes given) to
// those of the nodes.
func (t *touched) add(nodes []int32, gradients kernels.Buffer) {
	for i, n := range nodes {
		t.positions[i] = t.position[n] - 1
	}
	t.device.WriteInts(t.index, t.positions[:len(nodes)])
	t.device.ScatterAddRows(len(nodes), len(t.nodes), t.size, t.weights, gradients, t.index)
}
