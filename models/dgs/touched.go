package dgs

import (
	"dgsbench/kernels"
	"dgsbench/models/lastwrite"
)

// touched are the nodes whose states a batch reads, those that it writes
// first, and the gradients of the loss for their states.
type touched struct {
	device   kernels.Device
	nodes    []int32
	position []int32 // of a node in nodes, +1; 0 between batches
	size     int

	weights kernels.Buffer // nodes x size
	rows    list           // their rows in tables of all nodes
}

func newTouched(d kernels.Device, nodes, most, size int, rows list) touched {
	return touched{device: d, position: make([]int32, nodes), size: size, weights: d.NewBuffer(most * size), rows: rows}
}

// list lists the nodes of a batch, not yet on the device.
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
	copy(t.rows.host, t.nodes)
}

func (t *touched) see(node int32) {
	if t.position[node] == 0 {
		t.nodes = append(t.nodes, node)
		t.position[node] = int32(len(t.nodes))
	}
}

// locate lists where the nodes given are among those touched.
func (t *touched) locate(nodes []int32, positions list) {
	for i, n := range nodes {
		positions.host[i] = t.position[n] - 1
	}
}

// clear makes the gradients of as many nodes as there may be zero.
func (t *touched) clear() { t.device.Zero(t.weights.Len(), t.weights) }

// add adds gradients (so many rows of size) to those of the nodes that were
// located.
func (t *touched) add(rows int, gradients kernels.Buffer, positions list) {
	t.device.ScatterAddRows(rows, t.weights.Len()/t.size, t.size, t.weights, gradients, positions.on)
}
