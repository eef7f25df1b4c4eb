package memory

import (
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/ring"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Config is a model of this family.
type Config struct {
	Memory         Options
	Optimiser      Optimiser
	Classification Classification
	// Embedding adds the module's parameters to the core's network.
	Embedding func(c *Core, s models.Setup) Embedding
}

// Build makes the model that the task needs.
func Build(s models.Setup, c Config) (models.Model, error) {
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	if s.Task == protocol.NodeClassification {
		return NewClassifierOn(d, s, c)
	}
	return NewOn(d, s, c)
}

// base is what models of both tasks consist of.
type base struct {
	models.Offline
	setup     models.Setup
	device    kernels.Device
	core      *Core
	embedding Embedding
	x         kernels.Buffer // features of the batch, a row an event

	// Where messages wait, as PyTorch Geometric has them; else messages is nil.
	messages *messages
	updater  *updater
	own      *nodeList // nodes of a batch
}

func newBase(d kernels.Device, s models.Setup, c Config) *base {
	halves := 1
	if c.perEvent(s.Task) {
		halves = 2
	}
	m := &base{device: d, core: NewCore(nn.NewNetwork(d, s.Seed), c.Memory, s, halves)}
	m.embedding = c.Embedding(m.core, s)
	m.x = d.NewBuffer(s.MaxBatch * m.core.width)
	if halves == 1 {
		m.messages, m.own = newMessages(d, s), newNodeList(s.NumNodes)
		m.updater = newUpdater(m.core, m.messages, s)
	}
	s.Train = datasets.Stream{} // not to be kept
	m.setup = s
	return m
}

// perEvent reports whether every occurrence of a node has a memory of its own,
// from after its event.
func (c Config) perEvent(task protocol.Task) bool {
	return task == protocol.NodeClassification && c.Classification.NCMemory == PerEvent
}

// upload writes the batch's features to the device and returns an error for
// bad ones, and bad times.
func (m *base) upload(b datasets.Stream) error {
	if err := models.CheckFeatures(b); err != nil {
		return err
	}
	m.device.Write(m.x, b.Feat)
	return models.CheckClock(b)
}

// nodesOf lists the nodes of a batch.
func (m *base) nodesOf(b datasets.Stream) []int32 {
	m.own.reset()
	m.own.add(b.Src)
	m.own.add(b.Dst)
	return m.own.nodes
}

// store makes the batch's events the messages of their nodes.
func (m *base) store(b datasets.Stream) {
	m.messages.store(b)
	m.messages.storeFeatures(m.x)
}

// advance stores the batch's messages and applies them at once, as evaluation
// does. Where told to, it inserts the events as neighbours, too. What it writes
// goes to the device before anything else happens there.
func (m *base) advance(b datasets.Stream, neighbours bool) {
	m.messages.store(b)
	m.updater.setNodes(m.nodesOf(b))
	if neighbours {
		m.embedding.insert(b, m.x)
	}
	m.messages.storeFeatures(m.x)
	m.updater.run()
}

// flush switches to evaluation: messages are applied to all nodes, the others
// pass the cell with zeros, and no message is left. It reports whether there
// was anything to do.
func (m *base) flush() bool {
	if m.messages.evaluated {
		return false
	}
	m.updater.applyAll(upTo(m.setup.NumNodes))
	m.messages.reset()
	m.messages.evaluated, m.messages.blank = true, false
	return true
}

// Reset clears all memories, messages and neighbours.
func (m *base) Reset() {
	m.core.reset()
	m.embedding.reset()
	if m.messages != nil {
		m.messages.reset()
	}
}

// NumParams counts the parameters.
func (m *base) NumParams() int { return m.core.Net.NumParams() }

// Facts leave out what is kept beside the memory: times, messages and
// neighbours.
func (m *base) Facts() models.Facts {
	return models.Facts{Parameters: m.core.Net.Parts(), State: m.core.opts.Size}
}

// Snapshot copies the parameters and, where asked, memories, waiting
// messages and what the embedding knows of events.
func (m *base) Snapshot(what models.Part) models.Snapshot { return models.Take(what, m.params(), m) }

// Restore puts a snapshot back.
func (m *base) Restore(s models.Snapshot) error { return models.Put(s, m.setParams, m) }

// params copies the parameters.
func (m *base) params() []models.Tensor {
	var out []models.Tensor
	for _, p := range m.core.Net.Params() {
		out = append(out, models.Tensor{Name: p.Name, Shape: slices.Clone(p.Shape), F32: p.Values})
	}
	return out
}

// setParams replaces the parameters by bounded ones, so that all memories are
// finite.
func (m *base) setParams(saved []models.Tensor) error {
	if err := models.CheckBounded(m.params(), saved); err != nil {
		return err
	}
	var values [][]float32
	for _, t := range saved {
		values = append(values, t.F32)
	}
	m.core.Net.SetParams(values)
	return nil
}

// neighbourTensors is the number of tensors that hold neighbours: a ring, and the
// features of its events.
const neighbourTensors = ring.NumTensors + 1

// part is a part of the state and the number of its tensors.
type part struct {
	models.State
	tensors int
}

// parts are the parts of the state, whose tensors follow each other.
func (m *base) parts() []part {
	out := []part{{m.core, coreTensors}}
	if m.messages != nil {
		out = append(out, part{m.messages, messageTensors})
	}
	if m.embedding.Neighbours != nil {
		out = append(out, part{m.embedding.Neighbours, neighbourTensors})
	}
	return out
}

// Tensors implements models.State.
func (m *base) Tensors() []models.Tensor {
	var out []models.Tensor
	for _, p := range m.parts() {
		out = append(out, p.Tensors()...)
	}
	return out
}

// CheckTensors implements models.State.
func (m *base) CheckTensors(saved []models.Tensor) error {
	expected := 0
	for _, p := range m.parts() {
		expected += p.tensors
	}
	if len(saved) != expected {
		return fmt.Errorf("snapshot has %d tensors of state, expected %d", len(saved), expected)
	}
	for _, p := range m.parts() {
		if err := p.CheckTensors(saved[:p.tensors]); err != nil {
			return err
		}
		saved = saved[p.tensors:]
	}
	return nil
}

// SetTensors implements models.State.
func (m *base) SetTensors(saved []models.Tensor) {
	for _, p := range m.parts() {
		p.SetTensors(saved[:p.tensors])
		saved = saved[p.tensors:]
	}
}
