package memory

import (
	"cmp"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/internal/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Classifier classifies the sources of events by their embeddings.
type Classifier struct {
	*base
	reader reader
	head   *head.Head
	adam   *nn.Adam
}

var _ models.Model = (*Classifier)(nil)

// reader is an order of updating and classifying, and what of the batch a
// classification sees. Training tells the two modes of the memory apart.
type reader interface {
	// embeddings are those of the sources, a row an event.
	embeddings() (*nn.Node, *nn.Rows)
	// wanted are values that finish asks for.
	wanted() nn.Wanted
	// check refuses bad features, unless programs for inference find them.
	check(b datasets.Stream) error
	// prepare sets the batch up for its sources to be classified.
	prepare(b datasets.Stream, training bool)
	// write is for a program that trains: it puts on the device what others
	// fetch by themselves.
	write()
	// refused says what a program for inference has found.
	refused(b datasets.Stream) error
	// finish folds the batch in after a program has run: the one that trains,
	// or with nil the one for inference.
	finish(b datasets.Stream, trained *nn.Training)
	// takeBack undoes prepare where a program has given a bad answer.
	takeBack()
	// observe folds a batch in that is not classified, or refuses it.
	observe(b datasets.Stream, training bool) error

	reset()
	tensors() []models.Tensor
	// fits refuses what tensors cannot have given.
	fits(saved []models.Tensor) error
	// restore puts back what fits.
	restore(saved []models.Tensor)
}

// NewClassifierOn builds it on a device.
func NewClassifierOn(d kernels.Device, s models.Setup, c Config) (*Classifier, error) {
	if s.Task != protocol.NodeClassification {
		return nil, models.ErrTask
	}
	b, err := newBase(d, s, c)
	if err != nil {
		return nil, err
	}
	m := &Classifier{base: b, adam: nn.NewAdam(d, c.Optimiser.LR, c.Optimiser.WeightDecay)}
	if m.reader, err = newReader(b, c.Classification); err != nil {
		return nil, err
	}
	z, rows := m.reader.embeddings()
	m.head, err = head.On(b.core.Net, z, rows, c.Classification.Head.with(c.Optimiser), s.MaxBatch, m.reader.wanted())
	return m, err
}

func newReader(b *base, c Classification) (reader, error) {
	if c.perEvent() {
		return newPerEvent(b)
	}
	return newPerNode(b, c)
}

// Train makes one step. Memories and neighbours advance with the parameters
// that scored. Without labels there is no step.
func (m *Classifier) Train(b datasets.Stream, _ []int32) (float64, error) {
	if err := m.read(b); err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(b.Label, func(l int8) bool { return l != datasets.Unlabelled }) {
		return 0, m.reader.observe(b, true)
	}
	m.reader.prepare(b, true)
	m.reader.write()
	loss, _, err := m.head.LossOfLabels(b)
	if err != nil {
		m.reader.takeBack()
		return 0, err
	}
	t := m.head.Training()
	m.reader.finish(b, t)
	m.adam.Step(t.Params(), t.Gradients())
	return loss, nil
}

// Classify writes the logits of the batch's events and folds it in.
func (m *Classifier) Classify(b datasets.Stream, logits []float32) error {
	if err := m.reader.check(b); err != nil {
		return err
	}
	m.reader.prepare(b, false)
	err := m.head.Classify(b, logits)
	if err = cmp.Or(m.reader.refused(b), err); err != nil {
		m.reader.takeBack()
		return err
	}
	m.reader.finish(b, nil)
	return nil
}

// Observe folds the batch in.
func (m *Classifier) Observe(b datasets.Stream) error {
	if err := m.reader.check(b); err != nil {
		return err
	}
	return m.reader.observe(b, false)
}

// Rank is not what the model was built for.
func (m *Classifier) Rank(datasets.Stream, models.Candidates, models.Counts) error {
	return models.ErrTask
}

// Score is not what the model was built for.
func (m *Classifier) Score(datasets.Stream, []int32, []float32) error { return models.ErrTask }

// Reset forgets all memories, messages and neighbours.
func (m *Classifier) Reset() { m.reader.reset() }

// Snapshot copies the parameters and, where asked, memories, waiting
// messages and what the embedding knows of events.
func (m *Classifier) Snapshot(what models.Part) models.Snapshot {
	s := models.Snapshot{Params: m.params()}
	if what == models.Everything {
		s.State = m.reader.tensors()
	}
	return s
}

// Restore puts a snapshot back.
func (m *Classifier) Restore(s models.Snapshot) error {
	if s.State != nil {
		if err := m.reader.fits(s.State); err != nil {
			return err
		}
	}
	if err := m.setParams(s.Params); err != nil {
		return err
	}
	if s.State != nil {
		m.reader.restore(s.State)
	}
	return nil
}
