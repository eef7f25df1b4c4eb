package memory

import (
	"cmp"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/head"
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

// reader prepares what an event is classified by, and commits it: perEvent or
// perNode.
type reader interface {
	// check returns an error for bad features, unless programs for inference
	// find them, and for bad times.
	check(b datasets.Stream) error
	// prepare sets the batch up for its sources to be classified.
	prepare(b datasets.Stream, training bool)
	// checkRun returns an error for what a program for inference has found.
	checkRun(b datasets.Stream) error
	// commit folds the batch in after a program has run: the one that trains,
	// or with nil the one for inference.
	commit(b datasets.Stream, trained *nn.Training)
	// rollback undoes prepare where a program has given a bad answer.
	rollback()
	// observe folds a batch in that is not classified, or returns an error.
	observe(b datasets.Stream, training bool) error
}

// NewClassifierOn builds the model for one trial on a device.
func NewClassifierOn(d kernels.Device, s models.Setup, c Config) (*Classifier, error) {
	if s.Task != protocol.NodeClassification {
		return nil, models.ErrTask
	}
	m := &Classifier{base: newBase(d, s, c), adam: nn.NewAdam(d, c.Optimiser.LR, c.Optimiser.WeightDecay)}
	on := func(z *nn.Node, rows *nn.Rows, w nn.Wanted) {
		m.head = head.On(m.core.Net, z, rows, c.Classification.Head.with(c.Optimiser), s.MaxBatch, w)
	}
	if c.perEvent(s.Task) {
		p := newPerEvent(m.base)
		m.reader = p
		on(p.out, p.events, p.wanted())
	} else {
		p := newPerNode(m.base)
		m.reader = p
		on(p.embedded.out, p.embedded.rows, p.wanted())
	}
	return m, nil
}

// Train makes one step. Memories and neighbours advance with the parameters
// that scored. Without labels there is no step.
func (m *Classifier) Train(b datasets.Stream, _ []int32) (float64, error) {
	if err := m.upload(b); err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(b.Label, func(l int8) bool { return l != datasets.Unlabelled }) {
		return 0, m.reader.observe(b, true)
	}
	m.reader.prepare(b, true)
	loss, _, err := m.head.LossOfLabels(b)
	if err != nil {
		m.reader.rollback()
		return 0, err
	}
	t := m.head.Training()
	m.reader.commit(b, t)
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
	if err = cmp.Or(m.reader.checkRun(b), err); err != nil {
		m.reader.rollback()
		return err
	}
	m.reader.commit(b, nil)
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
