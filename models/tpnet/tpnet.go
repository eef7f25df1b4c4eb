// Package tpnet is TPNet (Lu et al., Improving Temporal Link Prediction via Temporal Walk
// Matrix Projection, NeurIPS 2024). Products of random projections of temporal walk
// matrices describe a pair of nodes; an encoder reads, with such products, the last
// neighbours of both; a small MLP makes a score of these. Without the encoder it is the
// pair features alone. docs/models/tpnet.md says what matches the paper.
package tpnet

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
)

// Model is the walks with the head, and the encoder if there is one.
type Model struct {
	models.Offline
	walks    *walks
	features *features
	head     *head.Head
	adam     *nn.Adam

	x     []float32 // rows of pairs
	input []float32 // those that the head reads
	rows  int       // of the head at once, in ranking

	encoder *encoder // nil for none, as tokens
	tokens  *tokens
	events  kernels.Buffer // features of a batch
}

// Rows that the head scores at once: of pairs alone, and with tokens, of which there are
// many.
const (
	scored  = 1024
	encoded = 64
)

// New builds the model for one trial.
func New(s models.Setup, o *Options) (*Model, error) {
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	m := &Model{walks: newWalks(d, s, o), rows: scored, adam: nn.NewAdam(d, o.Head.LR, o.Head.WeightDecay)}
	m.features = &features{products: newProducts(m.walks, o), source: make([]float32, o.own())}
	m.x = make([]float32, max(2*s.MaxBatch, m.features.most)*m.features.width())
	if o.Encoder.Neighbours > 0 {
		m.rows = encoded
	}
	pairs := max(2*s.MaxBatch, m.rows)
	net, rows := nn.NewNetwork(d, s.Seed), nn.NewRows(pairs)
	x := net.FromHost("x", rows, m.features.width(), func() []float32 { return m.input })
	if o.Encoder.Neighbours > 0 {
		var embedding *nn.Node
		m.tokens, m.events = newTokens(m.features, o, s, pairs), d.NewBuffer(s.MaxBatch*s.NumFeat)
		m.encoder, embedding = newEncoder(net, o.Encoder, m.tokens, rows, pairs)
		x = nn.Concat(embedding, x)
	}
	m.head = head.On(net, x, rows, o.Head, nn.Wanted{})
	return m, nil
}

// Train makes one step on the events and their negatives, and folds the batch in. The
// walks are not learned.
func (m *Model) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := m.check(b); err != nil {
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
		if m.tokens != nil {
			m.tokens.rows(b.Src[k], both, b.Time[k], k, n)
		}
	}
	m.input = m.x
	if m.encoder != nil {
		m.encoder.activate(2 * n)
	}
	m.head.TargetPairs(b)
	t := m.head.Training()
	loss, err := head.Loss(t, b)
	if err != nil {
		return 0, err
	}
	m.adam.Step(t.Params, t.Gradients)
	return loss, m.Observe(b)
}

// check returns an error for what cannot be folded in.
func (m *Model) check(b datasets.Stream) error {
	if m.tokens != nil {
		if err := models.CheckFeatures(b); err != nil {
			return err
		}
	}
	return models.CheckClock(b)
}

// Classify is a task that the model does not have.
func (m *Model) Classify(datasets.Stream, []float32) error { return models.ErrTask }

func (m *Model) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	m.features.begin()
	return models.RankScores(b, c, out, func(k int, nodes []int32, scores []float32) error {
		m.score(b.Src[k], b.Time[k], nodes, scores)
		return nil
	})
}

func (m *Model) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	m.features.begin()
	for k := range b.Len() {
		m.score(b.Src[k], b.Time[k], candidates, logits[k*len(candidates):][:len(candidates)])
	}
	return models.CheckScores(b, logits[:b.Len()*len(candidates)])
}

// score writes the scores of a source with the nodes.
func (m *Model) score(source int32, time float64, nodes []int32, scores []float32) {
	width := m.features.width()
	for some := range slices.Chunk(nodes, m.features.most) {
		m.features.rows(source, some, m.x)
		for lo := 0; lo < len(some); lo += m.rows {
			m.input = m.x[lo*width:]
			n := min(m.rows, len(some)-lo)
			if m.tokens != nil {
				m.tokens.rows(source, some[lo:][:n], time, 0, 1)
				m.encoder.activate(n)
			}
			m.head.Infer(n, scores[:n])
			scores = scores[n:]
		}
	}
}

func (m *Model) Observe(b datasets.Stream) error {
	if err := m.check(b); err != nil {
		return err
	}
	if m.walks.fold(b) {
		m.features.invalidate()
	} else {
		m.features.invalidateNodes(b.Src, b.Dst)
	}
	if m.tokens != nil {
		m.walks.device.Write(m.events, b.Feat)
		m.tokens.ring.Insert(b, m.events)
	}
	return nil
}

func (m *Model) Reset() {
	m.walks.reset()
	m.features.invalidate()
	if m.tokens != nil {
		m.tokens.ring.Reset()
	}
}

func (m *Model) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, m.params(), m.fields())
}

func (m *Model) Restore(s models.Snapshot) error {
	err := models.Put(s, m.params(), m.fields())
	if err == nil {
		m.features.invalidate()
	}
	return err
}

func (m *Model) params() models.Fields {
	return append(models.ParamsOf(m.head.Network), m.walks.params()...)
}

func (m *Model) fields() models.Fields {
	if m.tokens == nil {
		return m.walks.fields()
	}
	return append(m.walks.fields(), m.tokens.ring.Fields()...)
}

// NumParams counts the parameters of the head and of the encoder: the projection is not
// learned.
func (m *Model) NumParams() int { return m.head.NumParams() }

// Facts say that each order of walks decays by itself.
func (m *Model) Facts() models.Facts {
	return models.Facts{Parameters: m.head.Parts(), State: m.walks.orders * m.walks.dimension, Forgetting: m.walks.orders}
}
