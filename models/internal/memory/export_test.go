package memory

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// What fixtures compare: numbers where they are, in the device's precision.

// Logits are those of the last training batch: positive pairs, then
// negative ones.
func (m *Model) Logits() kernels.Buffer {
	return m.training.program.Buffer(m.training.logits)
}

// Gradients are those of the last training batch, by parameter.
func (m *Model) Gradients() map[string]kernels.Buffer {
	out := map[string]kernels.Buffer{}
	for i, name := range m.training.program.Names {
		out[name] = m.training.program.Gradients.Buffers[i]
	}
	return out
}

// Network holds the parameters.
func (m *base) Network() *nn.Network { return m.core.Net }

// Parameter is where a learned parameter is.
func (m *Model) Parameter(name string) kernels.Buffer {
	for i, n := range m.training.program.Names {
		if n == name {
			return m.training.program.Params.Buffers[i]
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
	any, size := &m.updater.without, m.core.opts.Size
	u := any.update
	u.setNodes(nodes, m.messages.blank)
	any.program.Run()
	index, out := m.device.NewInts(len(nodes)), m.device.NewBuffer(len(nodes)*size)
	m.device.WriteInts(index, u.row)
	m.device.GatherRows(len(nodes), len(u.ids), size, out, any.program.Buffer(u.out), index)
	return out, slices.Clone(u.updated)
}

// Fold is what a training batch leaves behind: the memories of its nodes as
// they were read, and its events as messages.
func (m *Model) Fold(b datasets.Stream) {
	if err := m.upload(b); err != nil {
		panic(err)
	}
	own := m.nodesOf(b)
	z, updated := m.Read(own)
	m.core.commit(own, z, m.core.upTo(len(own)), updated)
	m.store(b)
}

// Logits are those of the last training batch.
func (m *Classifier) Logits() kernels.Buffer { return m.head.Learned() }

// Gradients are those of the last training batch, by parameter.
func (m *Classifier) Gradients() map[string]kernels.Buffer {
	out := map[string]kernels.Buffer{}
	for i, name := range m.head.Training().Names {
		out[name] = m.head.Training().Gradients.Buffers[i]
	}
	return out
}

// Parameter is where a learned parameter is.
func (m *Classifier) Parameter(name string) kernels.Buffer {
	if i := slices.Index(m.head.Training().Names, name); i >= 0 {
		return m.head.Training().Params.Buffers[i]
	}
	return nil
}

// New builds the model for one trial.
func New(s models.Setup, c Config) (*Model, error) {
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	return newModel(d, s, c), nil
}

// NewOn and NewClassifierOn build models on a device.
var (
	NewOn           = newModel
	NewClassifierOn = newClassifier
)
