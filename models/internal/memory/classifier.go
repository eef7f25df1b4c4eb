package memory

import (
	"cmp"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
)

// Classifier classifies the sources of events by their embeddings.
type Classifier struct {
	*base
	models.NoLinks
	reader reader
	head   *head.Head
	adam   *nn.Adam
}

// reader prepares what an event is classified by, and commits it: perEvent or
// perNode.
type reader interface {
	// prepare sets the batch up for its sources to be classified, or returns an
	// error for bad times or features, which programs for inference may check.
	prepare(b datasets.Stream, training bool) error
	// commit folds the batch in after a program has run: the one that trains,
	// or with nil the one for inference.
	commit(b datasets.Stream, trained *nn.Training)
	// rollback undoes prepare where a program has given a bad answer.
	rollback()
	// observe folds a batch in that is not classified, or returns an error.
	observe(b datasets.Stream, training bool) error
}

func newClassifier(d kernels.Device, s models.Setup, c Config) *Classifier {
	m := &Classifier{base: newBase(d, s, c), adam: nn.NewAdam(d, c.Optimiser.LR, c.Optimiser.WeightDecay)}
	on := func(z *nn.Node, rows *nn.Rows, w nn.Wanted) {
		m.head = head.On(m.core.Net, z, rows, c.Classification.Head.with(c.Optimiser), w)
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
	return m
}

// Train makes one step. Memories and neighbours advance with the parameters
// that scored. Without labels there is no step.
func (m *Classifier) Train(b datasets.Stream, _ []int32) (float64, error) {
	if !m.head.TargetLabels(b) {
		return 0, m.reader.observe(b, true)
	}
	if err := m.reader.prepare(b, true); err != nil {
		return 0, err
	}
	t := m.head.Training()
	loss, err := head.Loss(t, b)
	if err != nil {
		m.reader.rollback()
		return 0, err
	}
	m.reader.commit(b, t)
	m.adam.Step(t.Params, t.Gradients)
	return loss, nil
}

func (m *Classifier) Classify(b datasets.Stream, logits []float32) error {
	if err := m.reader.prepare(b, false); err != nil {
		return err
	}
	err := m.head.Classify(b, logits)
	if err = cmp.Or(m.inferenceError(b), err); err != nil {
		m.reader.rollback()
		return err
	}
	m.reader.commit(b, nil)
	return nil
}

func (m *Classifier) Observe(b datasets.Stream) error { return m.reader.observe(b, false) }
