package memory

import (
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/models"
	"dgsbench/nn"
)

// Config is a model of this family.
type Config struct {
	Memory    Options
	Optimiser Optimiser
	// Embedding adds the module's parameters to the core's network.
	Embedding func(c *Core, s models.Setup) (Embedding, error)
}

// Model predicts links from memories.
type Model struct {
	setup     models.Setup
	device    kernels.Device
	core      *Core
	store     *store
	embedding Embedding
	decoder   nn.DecoderParams

	x        kernels.Buffer // features of the batch
	learning *learning      // nil until the first training batch
	adam     *nn.Adam
	applying *applying
	ranking  *ranking

	blank     bool // all memories without messages are zero
	evaluated bool // no message waits
}

var _ models.Model = (*Model)(nil)

// New builds the model for one trial.
func New(s models.Setup, c Config) (*Model, error) {
	return NewOn(cpu.NewDevice(cpu.Best(), s.Threads), s, c)
}

// NewOn builds it on a device.
func NewOn(d kernels.Device, s models.Setup, c Config) (*Model, error) {
	if s.Task != models.LinkPrediction {
		return nil, models.ErrTask
	}
	core := NewCore(nn.NewNetwork(d, s.Seed), c.Memory, s)
	e, err := c.Embedding(core, s)
	if err != nil {
		return nil, err
	}
	m := &Model{
		setup: s, device: d, core: core, embedding: e, decoder: newDecoder(core.Net, e.Width()), blank: true,
		store: newStore(d, c.Memory.Aggregator, s.NumNodes, s.NumFeat, s.MaxBatch),
		x:     d.NewBuffer(s.MaxBatch * core.width),
		adam:  nn.NewAdam(d, c.Optimiser.LR, c.Optimiser.WeightDecay),
	}
	m.setup.Train = datasets.Stream{} // not to be kept
	if m.applying, err = newApplying(core, m.store, s.MaxBatch); err != nil {
		return nil, err
	}
	m.ranking, err = newRanking(m)
	return m, err
}

// read puts the batch's features on the device.
func (m *Model) read(b datasets.Stream) error {
	m.device.Write(m.x, b.Feat)
	if m.device.Finite(len(b.Feat), m.x) {
		return nil
	}
	for i, f := range b.Feat {
		if !models.Finite(f) {
			return fmt.Errorf("feature %d of event %d is %v", i%b.NumFeat, b.EventID(i/b.NumFeat), f)
		}
	}
	panic("memory: the device finds features bad that are not")
}

// Train makes one step. Memories, messages and neighbours advance with the
// parameters that scored.
func (m *Model) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := m.read(b); err != nil {
		return 0, err
	}
	l, err := m.prepared(b, negatives)
	if err != nil {
		return 0, err
	}
	loss, err := l.run(b)
	if err != nil {
		return 0, err
	}
	m.evaluated = false
	l.persist()
	m.store.fold(b, m.x)
	m.embedding.Insert(b, m.x)
	m.adam.Step(l.program.Params(), l.program.Gradients())
	m.ranking.everythingChanged()
	return loss, nil
}

// firstRoom is how many messages a batch may have at first.
func (m *Model) firstRoom() int {
	return 2 * (m.embedding.Most(min(3*m.setup.MaxBatch, m.setup.NumNodes)) + m.setup.MaxBatch)
}

// prepared is the training graph, with the batch in it. Where the batch's
// messages do not fit, it is built anew.
func (m *Model) prepared(b datasets.Stream, negatives []int32) (l *learning, err error) {
	if m.learning == nil {
		if m.learning, err = m.newLearning(m.firstRoom(), 0); err != nil {
			return nil, err
		}
	}
	listed := m.learning.list(b, negatives)
	if need := m.store.count(listed); need > m.learning.messages {
		if m.learning, err = m.newLearning(2*need, m.learning.generation+1); err != nil {
			return nil, err
		}
		listed = m.learning.list(b, negatives)
	}
	m.learning.reading.list(listed, m.blank)
	m.learning.write(b, negatives)
	return m.learning, nil
}

// Observe folds the batch in.
func (m *Model) Observe(b datasets.Stream) error {
	if err := m.read(b); err != nil {
		return err
	}
	m.flush()
	m.store.fold(b, m.x)
	nodes := m.applying.nodes
	nodes.start()
	nodes.add(b.Src)
	nodes.add(b.Dst)
	m.applying.renew(nodes.nodes)
	m.embedding.Insert(b, m.x)
	m.ranking.changed(nodes.nodes)
	return nil
}

// flush is the switch to evaluation: messages are applied to all nodes, the
// others pass the GRU with zeros, and no message is left.
func (m *Model) flush() {
	if m.evaluated {
		return
	}
	var heard, silent []int32
	for n := range int32(m.setup.NumNodes) {
		if m.store.heard(n) {
			heard = append(heard, n)
		} else {
			silent = append(silent, n)
		}
	}
	m.applying.renew(heard) // first: messages read memories from before
	for part := range slices.Chunk(silent, m.applying.capacity) {
		m.applying.renew(part) // reads no memories but its own
	}
	m.store.clear()
	m.evaluated, m.blank = true, false
	m.ranking.everythingChanged()
}

// Rank counts the negatives above and level with the true destinations.
func (m *Model) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	m.flush()
	m.ranking.ready()
	return m.ranking.Rank(b, c, out)
}

// Score writes the logits of all pairs of a source of the batch with a
// candidate.
func (m *Model) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	m.flush()
	m.ranking.ready()
	return m.ranking.Score(b, candidates, logits)
}

// Classify is not what the model was built for.
func (m *Model) Classify(datasets.Stream, []float32) error { return models.ErrTask }

// Reset forgets all memories, messages and neighbours.
func (m *Model) Reset() {
	m.core.forget()
	m.store.clear()
	m.embedding.Reset()
	m.blank, m.evaluated = true, false
	m.ranking.everythingChanged()
}

// NumParams counts the parameters.
func (m *Model) NumParams() int { return m.core.Net.NumParams() }

// params copies the parameters.
func (m *Model) params() []models.Tensor {
	var out []models.Tensor
	for _, p := range m.core.Net.Params() {
		out = append(out, models.Tensor{Name: p.Name, Shape: slices.Clone(p.Shape), F32: p.Values})
	}
	return out
}
