package dgs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/buckets"
	"dgsbench/models/lastwrite"
	"dgsbench/models/pairrank"
	"dgsbench/protocol"
)

// Model is Deep-Graph-Sprints with its head.
type Model struct {
	models.Offline
	setup models.Setup
	opts  *Options
	// nodes of the training part: those that get derivatives
	trainedNodes int
	device       kernels.Device
	net          *network
	states       *states
	encoder      *encoder // with Buckets
	ranker       *pairrank.Ranker

	learning *learning
	ahead    *ahead // made by its first use, until training changes parameters
}

var _ models.Model = (*Model)(nil)

// errTruncated says why one variant cannot do one task.
var errTruncated = errors.New("gradient: truncated cannot train link prediction: its loss is about states from before the batch, which then count as constants; use gradient: forward")

// New builds the model for one trial.
func New(s models.Setup, o *Options) (*Model, error) {
	if s.Task == protocol.LinkPrediction && o.Gradient == Truncated {
		return nil, errTruncated
	}
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	m, err := newOn(d, s, o)
	if err == nil && s.Task == protocol.LinkPrediction {
		m.ranker = pairrank.New(m.device, m.net.head.PairLayers(m.net.size), m.states, s)
	}
	return m, err
}

// newOn builds it on a device, without what ranking needs.
func newOn(d kernels.Device, s models.Setup, o *Options) (*Model, error) {
	m := &Model{setup: s, opts: o, device: d, trainedNodes: trainedNodes(s.Train)}
	size := o.Size
	if o.Embedding == Buckets {
		m.encoder = newEncoder(buckets.New(s.Train, o.Buckets), s)
		size = m.encoder.Size()
	}
	m.setup.Train = datasets.Stream{} // not to be kept
	m.net = newNetwork(d, o, size, s, &feeds{encoder: m.encoder})
	m.states = newStates(d, m.net, s)
	m.net.feeds.states = m.states
	return m, nil
}

// Classify writes the logits of the batch's events and folds it in.
func (m *Model) Classify(b datasets.Stream, logits []float32) error {
	if m.setup.Task != protocol.NodeClassification {
		return models.ErrTask
	}
	m.net.feed(b)
	m.states.follow(b)
	err := m.net.head.Classify(b, logits)
	if err := cmp.Or(m.net.feeds.refused(), err); err != nil {
		return err
	}
	m.fold()
	return nil
}

// Observe folds the batch in.
func (m *Model) Observe(b datasets.Stream) error {
	m.net.feed(b)
	m.states.follow(b)
	m.net.observe.Run()
	if err := m.net.feeds.refused(); err != nil {
		return err
	}
	m.fold()
	return nil
}

// fold makes what the batch leaves the states, without derivatives.
func (m *Model) fold() {
	m.states.turn()
	m.folded()
}

// folded forgets the derivatives of the states that were written.
func (m *Model) folded() {
	if l := m.learning; l != nil && l.any && l.derivatives != nil {
		l.derivatives.forgetWrites()
	}
	m.written()
}

// written tells the ranker.
func (m *Model) written() {
	if m.ranker != nil {
		m.ranker.Changed(lastwrite.Selves(m.states.writes))
	}
}

// Rank counts the negatives above and level with the true destinations.
func (m *Model) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	if m.setup.Task != protocol.LinkPrediction {
		return models.ErrTask
	}
	return m.ranker.Rank(b, c, out)
}

// Score writes the logits of all pairs of a source of the batch with a
// candidate.
func (m *Model) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	if m.setup.Task != protocol.LinkPrediction {
		return models.ErrTask
	}
	return m.ranker.Score(b, candidates, logits)
}

// Reset forgets all states and derivatives.
func (m *Model) Reset() {
	m.states.reset()
	m.changed()
}

// changed says that all states or parameters are new.
func (m *Model) changed() {
	if l := m.learning; l != nil && l.any && l.derivatives != nil {
		l.derivatives.forget()
		l.any = false
	}
	if m.ranker != nil {
		m.ranker.EverythingChanged()
	}
}

// Snapshot copies parameters and, where asked, the states. Derivatives are
// not part of it: a restored state counts as a constant.
func (m *Model) Snapshot(what models.Part) models.Snapshot {
	s := models.Snapshot{Params: m.net.head.Tensors()}
	if what == models.Everything {
		s.State = m.states.tensors()
	}
	return s
}

// Restore puts a snapshot back.
func (m *Model) Restore(s models.Snapshot) error {
	if s.State != nil {
		if err := models.Check(m.states.tensors(), s.State); err != nil {
			return err
		}
	}
	if m.opts.Range == Clamp {
		for _, t := range s.Params {
			if (t.Name == "alpha" || t.Name == "beta") && slices.ContainsFunc(t.F32, func(x float32) bool { return !(x >= 0 && x <= 1) }) {
				return fmt.Errorf("snapshot tensor %s has a number beyond 0 and 1, with range: %s", t, Clamp)
			}
		}
	}
	if err := m.net.head.Restore(s.Params); err != nil {
		return err
	}
	m.changed()
	if m.ahead != nil { // it keeps its buffers
		if err := m.ahead.take(s.Params); err != nil {
			return err
		}
	}
	if s.State != nil {
		m.states.restore(s.State)
	}
	return nil
}

// NumParams counts the parameters of the head and those below it.
func (m *Model) NumParams() int { return m.net.NumParams() }

// Facts count alpha and beta by their different values; with factors of the
// event every event has its own.
func (m *Model) Facts() models.Facts {
	forgetting := 2 * m.net.size
	if m.opts.Factors == Scalar {
		forgetting = 2
	}
	return models.Facts{Parameters: m.net.Parts(), State: m.net.size, Forgetting: forgetting}
}
