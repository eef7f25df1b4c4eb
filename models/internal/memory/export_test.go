package memory

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/nn"
)

// What fixtures compare: numbers where they are, in the device's precision.

// Logits are those of the last training batch: positive pairs, then
// negative ones.
func (m *Model) Logits() kernels.Buffer {
	return m.learning.program.Buffer(m.learning.logits)
}

// Gradients are those of the last training batch, by parameter.
func (m *Model) Gradients() map[string]kernels.Buffer {
	out := map[string]kernels.Buffer{}
	for i, name := range m.learning.program.Names() {
		out[name] = m.learning.program.Gradients().Buffers[i]
	}
	return out
}

// Network holds the parameters.
func (m *base) Network() *nn.Network { return m.core.Net }

// Parameter is where a learned parameter is.
func (m *Model) Parameter(name string) kernels.Buffer {
	for i, n := range m.learning.program.Names() {
		if n == name {
			return m.learning.program.Params().Buffers[i]
		}
	}
	return nil
}

// Memories are those that are kept.
func (m *base) Memories() kernels.Buffer {
	c, nodes, size := m.core, m.core.nodes, m.core.opts.Size
	var rows []int32
	for n := range nodes {
		rows = append(rows, c.rows.Of(int32(n)))
	}
	table, index, out := c.Net.Buffer(c.Table), m.device.NewInts(nodes), m.device.NewBuffer(nodes*size)
	m.device.WriteInts(index, rows)
	m.device.GatherRows(nodes, table.Len()/size, size, out, table, index)
	return out
}

// LastUpdates are those of all nodes.
func (m *base) LastUpdates() []float64 { return m.core.Updated }

// Flush is the switch to evaluation.
func (m *Model) Flush() { m.evaluate() }

// Read is what a training batch reads of the nodes: memories with their
// messages applied, a row each, and their last updates.
func (m *Model) Read(nodes []int32) (kernels.Buffer, []float64) {
	r, size := m.applying.any.reading, m.core.opts.Size
	r.list(nodes, m.blank)
	m.applying.any.program.Run()
	index, out := m.device.NewInts(len(nodes)), m.device.NewBuffer(len(nodes)*size)
	m.device.WriteInts(index, r.row)
	m.device.GatherRows(len(nodes), len(r.ids), size, out, m.applying.any.program.Buffer(r.out), index)
	return out, slices.Clone(r.updated)
}

// Fold is what a training batch leaves behind: the memories of its nodes as
// they were read, and its events as messages.
func (m *Model) Fold(b datasets.Stream) {
	if err := m.read(b); err != nil {
		panic(err)
	}
	own := newNodeList(m.setup.NumNodes)
	own.add(b.Src)
	own.add(b.Dst)
	z, updated := m.Read(own.nodes)
	m.applying.keep(own.nodes, z, updated)
	m.store.fold(b, m.x)
}

// Generation counts the graphs that were built for training.
func (m *Model) Generation() int {
	if m.learning == nil {
		return 0
	}
	return m.learning.generation
}

// Logits are those of the last training batch.
func (m *Classifier) Logits() kernels.Buffer { return m.head.Learned() }

// Gradients are those of the last training batch, by parameter.
func (m *Classifier) Gradients() map[string]kernels.Buffer {
	out := map[string]kernels.Buffer{}
	for i, name := range m.head.Training().Names() {
		out[name] = m.head.Training().Gradients().Buffers[i]
	}
	return out
}

// Parameter is where a learned parameter is.
func (m *Classifier) Parameter(name string) kernels.Buffer {
	if i := slices.Index(m.head.Training().Names(), name); i >= 0 {
		return m.head.Training().Params().Buffers[i]
	}
	return nil
}
