package graphsprints

import (
	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/internal/buckets"
	"dgsbench/models/internal/head"
	"dgsbench/models/internal/lastwrite"
	"dgsbench/models/internal/pairrank"
)

// Model is Graph-Sprints with its head.
type Model struct {
	task   models.Task
	states *states
	head   *head.Head
	x      []float32 // input rows of the head
	ranker *pairrank.Ranker
}

var _ models.Model = (*Model)(nil)

// New builds the model for one trial; the bucket edges come from
// s.Train.
func New(s models.Setup, o *Options) (*Model, error) {
	bs := buckets.New(s.Train, o.Buckets)
	m := &Model{
		task:   s.Task,
		states: newStates(o, bs, s.NumNodes, s.MaxBatch, s.NumFeat),
	}
	in, rows := bs.Size(), s.MaxBatch
	if s.Task == models.LinkPrediction {
		in, rows = 2*in, 2*rows
	}
	m.x = make([]float32, in*rows)
	var err error
	if m.head, err = head.New(o.Head, in, rows, s); err != nil {
		return nil, err
	}
	if s.Task == models.LinkPrediction {
		m.ranker = pairrank.New(m.head.Device(), m.head.PairLayers(bs.Size()), m.states, s)
	}
	return m, nil
}

// Train makes one step of the head and folds the batch in. The states do
// not depend on anything learned.
func (m *Model) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := m.states.read(b); err != nil {
		return 0, err
	}
	loss, err := m.step(b, negatives)
	if err != nil {
		return 0, err
	}
	m.advance(b)
	return loss, nil
}

func (m *Model) step(b datasets.Stream, negatives []int32) (float64, error) {
	if m.task == models.NodeClassification {
		m.sourcesAfter(b)
		return m.head.TrainLabels(b)
	}
	n := b.Len()
	for k := range n {
		m.pair(k, b.Src[k], b.Dst[k])
		m.pair(n+k, b.Src[k], negatives[k])
	}
	m.head.Put(m.x[:4*n*m.states.k])
	loss, err := m.head.TrainPairs(b)
	m.ranker.EverythingChanged()
	return loss, err
}

// sourcesAfter fills one head input an event: the source's state with that
// event folded in.
func (m *Model) sourcesAfter(b datasets.Stream) {
	for k := range b.Len() {
		m.states.after(b, k, b.Src[k], b.Dst[k], m.x[k*m.states.k:][:m.states.k])
	}
	m.head.Put(m.x[:b.Len()*m.states.k])
}

// pair fills head input i with the two states.
func (m *Model) pair(i int, src, dst int32) {
	row := m.x[2*i*m.states.k:][:2*m.states.k]
	copy(row, m.states.of(src))
	copy(row[m.states.k:], m.states.of(dst))
}

func (m *Model) advance(b datasets.Stream) {
	writes := m.states.fold(b)
	if m.ranker != nil {
		m.ranker.Changed(lastwrite.Selves(writes))
	}
}

// Classify writes the logits of the batch's events and folds it in.
func (m *Model) Classify(b datasets.Stream, logits []float32) error {
	if m.task != models.NodeClassification {
		return models.ErrTask
	}
	if err := m.states.read(b); err != nil {
		return err
	}
	m.sourcesAfter(b)
	if err := m.head.Classify(b, logits); err != nil {
		return err
	}
	m.advance(b)
	return nil
}

// Rank counts the negatives above and level with the true destinations.
func (m *Model) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	if m.task != models.LinkPrediction {
		return models.ErrTask
	}
	return m.ranker.Rank(b, c, out)
}

// Score writes the logits of all pairs of a source of the batch with a
// candidate.
func (m *Model) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	if m.task != models.LinkPrediction {
		return models.ErrTask
	}
	return m.ranker.Score(b, candidates, logits)
}

// Observe folds the batch in.
func (m *Model) Observe(b datasets.Stream) error {
	if err := m.states.read(b); err != nil {
		return err
	}
	m.advance(b)
	return nil
}

// Reset empties all histograms.
func (m *Model) Reset() {
	m.states.reset()
	m.forgetParts()
}

// Snapshot copies parameters and, where asked, the histograms.
func (m *Model) Snapshot(what models.Part) models.Snapshot {
	s := models.Snapshot{Params: m.head.Tensors()}
	if what == models.Everything {
		s.State = models.Clone(m.states.tensors())
	}
	return s
}

// Restore puts a snapshot back.
func (m *Model) Restore(s models.Snapshot) error {
	m.forgetParts()
	if err := m.head.Restore(s.Params); err != nil {
		return err
	}
	if s.State == nil {
		return nil
	}
	return models.Copy(m.states.tensors(), s.State)
}

// forgetParts tells the ranker that everything may have changed.
func (m *Model) forgetParts() {
	if m.ranker != nil {
		m.ranker.EverythingChanged()
	}
}

// NumParams counts the head's parameters: the embedding has none.
func (m *Model) NumParams() int { return m.head.NumParams() }
