package memory

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/internal/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Config is a model of this family.
type Config struct {
	Memory         Options
	Optimiser      Optimiser
	Classification Classification
	// Embedding adds the module's parameters to the core's network.
	Embedding func(c *Core, s models.Setup) (Embedding, error)
}

// Build makes the model that the task needs.
func Build(s models.Setup, c Config) (models.Model, error) {
	if s.Task != protocol.NodeClassification {
		return New(s, c)
	}
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	return NewClassifierOn(d, s, c)
}

// Model predicts links from memories.
type Model struct {
	*waiting
	decoder  nn.DecoderParams
	learning *learning // nil until the first training batch
	adam     *nn.Adam
	ranking  *ranking
}

var _ models.Model = (*Model)(nil)

// New builds the model for one trial.
func New(s models.Setup, c Config) (*Model, error) {
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	return NewOn(d, s, c)
}

// NewOn builds it on a device.
func NewOn(d kernels.Device, s models.Setup, c Config) (*Model, error) {
	if s.Task != protocol.LinkPrediction {
		return nil, models.ErrTask
	}
	b, err := newBase(d, s, c)
	if err != nil {
		return nil, err
	}
	m := &Model{decoder: newDecoder(b.core.Net, b.embedding.Width()), adam: nn.NewAdam(d, c.Optimiser.LR, c.Optimiser.WeightDecay)}
	if m.waiting, err = newWaiting(b); err != nil {
		return nil, err
	}
	m.ranking, err = newRanking(m)
	return m, err
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
	m.core.Net.Later(m.device.ResetChecks)
	loss, err := head.Loss(l.program, b)
	if err != nil {
		return 0, err
	}
	// Who asks next switches to evaluation: everything will have changed.
	m.evaluated = false
	m.fold(b)
	m.adam.Step(l.program.Params(), l.program.Gradients())
	return loss, nil
}

// fold keeps the memories that were read, and inserts the batch. All that is
// written comes first: it goes to the device as one.
func (m *Model) fold(b datasets.Stream) {
	m.learning.listOwn()
	m.store.list(b)
	m.embedding.Insert(b, m.x)
	m.learning.persist()
	m.store.keepFeatures(m.x)
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
	m.evaluate()
	m.ranking.changed(m.insert(b))
	return nil
}

// evaluate switches to evaluation.
func (m *Model) evaluate() {
	if m.flush() {
		m.ranking.everythingChanged()
	}
}

// Rank counts the negatives above and level with the true destinations.
func (m *Model) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	m.evaluate()
	m.ranking.ready()
	return m.ranking.Rank(b, c, out)
}

// Score writes the logits of all pairs of a source of the batch with a
// candidate.
func (m *Model) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	m.evaluate()
	m.ranking.ready()
	return m.ranking.Score(b, candidates, logits)
}

// Classify is not what the model was built for.
func (m *Model) Classify(datasets.Stream, []float32) error { return models.ErrTask }

// Reset forgets all memories, messages and neighbours.
func (m *Model) Reset() {
	m.reset()
	m.ranking.everythingChanged()
}
