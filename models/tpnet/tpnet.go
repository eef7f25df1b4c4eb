// Package tpnet is the part of TPNet (Lu et al., Improving Temporal Link Prediction
// via Temporal Walk Matrix Projection, NeurIPS 2024) that describes a pair of nodes:
// products of random projections of their temporal walk matrices, under a small MLP.
// docs/models/tpnet.md says what matches the paper, and what is not there.
package tpnet

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
)

// Model is the walks with the head.
type Model struct {
	models.Offline
	walks    *walks
	features *features
	head     *head.Head

	x     []float32 // rows of pairs
	input []float32 // those that the head reads
	rows  int       // of the head, at most
}

// scored is how many rows the head scores at once, at least.
const scored = 1024

// New builds the model for one trial.
func New(s models.Setup, o *Options) (*Model, error) {
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	m := &Model{walks: newWalks(d, s, o)}
	m.features = &features{products: newProducts(m.walks, o), source: make([]float32, o.own())}
	m.rows = max(2*s.MaxBatch, scored)
	m.x = make([]float32, max(2*s.MaxBatch, m.features.most)*m.features.width())
	net, rows := nn.NewNetwork(d, s.Seed), nn.NewRows(m.rows)
	x := net.FromHost("x", rows, m.features.width(), func() []float32 { return m.input })
	m.head = head.On(net, x, rows, o.Head, nn.Wanted{})
	return m, nil
}

// Train makes one step of the head on the events and their negatives, and folds the
// batch in. Nothing else is learned.
func (m *Model) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := models.CheckClock(b); err != nil {
		return 0, err
	}
	m.features.begin()
	width, n := m.features.width(), b.Len()
	both, rows := make([]int32, 2), make([]float32, 2*width)
	for k := range n {
		both[0], both[1] = b.Dst[k], negatives[k]
		m.features.rows(b.Src[k], both, rows)
		copy(m.x[k*width:], rows[:width])
		copy(m.x[(n+k)*width:], rows[width:])
	}
	m.input = m.x
	loss, err := m.head.TrainPairs(b)
	if err != nil {
		return 0, err
	}
	return loss, m.Observe(b)
}

// Classify is a task that the model does not have.
func (m *Model) Classify(datasets.Stream, []float32) error { return models.ErrTask }

func (m *Model) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	m.features.begin()
	return models.RankScores(b, c, out, func(k int, nodes []int32, scores []float32) error {
		m.score(b.Src[k], nodes, scores)
		return nil
	})
}

func (m *Model) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	m.features.begin()
	for k := range b.Len() {
		m.score(b.Src[k], candidates, logits[k*len(candidates):][:len(candidates)])
	}
	return models.CheckScores(b, logits[:b.Len()*len(candidates)])
}

// score writes the scores of a source with the nodes.
func (m *Model) score(source int32, nodes []int32, scores []float32) {
	width := m.features.width()
	for some := range slices.Chunk(nodes, m.features.most) {
		m.features.rows(source, some, m.x)
		for lo := 0; lo < len(some); lo += m.rows {
			m.input = m.x[lo*width:]
			n := min(m.rows, len(some)-lo)
			m.head.Infer(n, scores[:n])
			scores = scores[n:]
		}
	}
}

func (m *Model) Observe(b datasets.Stream) error {
	if err := models.CheckClock(b); err != nil {
		return err
	}
	if m.walks.fold(b) {
		m.features.invalidate()
	} else {
		m.features.invalidateNodes(b.Src, b.Dst)
	}
	return nil
}

func (m *Model) Reset() {
	m.walks.reset()
	m.features.invalidate()
}

func (m *Model) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, m.params(), m.walks.fields())
}

func (m *Model) Restore(s models.Snapshot) error {
	err := models.Put(s, m.params(), m.walks.fields())
	if err == nil {
		m.features.invalidate()
	}
	return err
}

func (m *Model) params() models.Fields {
	return append(models.ParamsOf(m.head.Network), m.walks.params()...)
}

// NumParams counts the head's parameters: the projection is not learned.
func (m *Model) NumParams() int { return m.head.NumParams() }

// Facts say that each order of walks decays by itself.
func (m *Model) Facts() models.Facts {
	return models.Facts{Parameters: m.head.Parts(), State: m.walks.orders * m.walks.dimension, Forgetting: m.walks.orders}
}
