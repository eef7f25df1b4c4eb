// Package pairclock scores a source and a destination by clocks and counts alone:
// the times since the last events of the pair and of both nodes, counts of events,
// some of them decayed, and how often the destination was taken after the one that
// the source took last. A small MLP makes a score of these 26 numbers. Features of
// events are not read.
//
// It is no published model (docs/models/pairclock.md). Training is noise-contrastive estimation
// (Gutmann and Hyvärinen 2010): a binary cross-entropy tells the true destination
// from drawn ones, and the logit of that is the score less the logarithm of how
// often the destination is drawn, so that the score does not depend on the draws.
package pairclock

import (
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
)

// Model is the clocks with their MLP.
type Model struct {
	models.Offline
	clocks *clocks
	noise  *noise
	head   *head.Head

	x       []float32 // rows of the MLP
	most    int       // of them
	targets []float32
	weights []float64
	offsets []float32
	asked   []int32 // scratch of score
	row     []int32 // scratch: of each of its nodes
	logits  []float32
}

// scored is how many rows are scored at once, at least.
const scored = 1024

// New builds the model for one trial.
func New(s models.Setup, o *Options) (*Model, error) {
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	m := &Model{
		clocks: newClocks(o, s.NumNodes), noise: newNoise(o.Noise, s),
		most: max(scored, s.MaxBatch*o.Noise.most()),
	}
	cols := m.clocks.columns()
	m.x, m.logits = make([]float32, m.most*cols), make([]float32, m.most)
	net, rows := nn.NewNetwork(d, s.Seed), nn.NewRows(m.most)
	x := net.FromHost("x", rows, cols, func() []float32 { return m.x })
	offset := net.FromHost("offset", rows, 1, func() []float32 { return m.offsets })
	m.head = head.WithOffset(net, x, offset, rows, o.Head, nn.Wanted{})
	return m, nil
}

// Train makes one step of the MLP, on draws of its own in the place of the negatives,
// and folds the batch in.
func (m *Model) Train(b datasets.Stream, _ []int32) (float64, error) {
	if err := models.CheckClock(b); err != nil {
		return 0, err
	}
	before := *m.noise.stream
	m.targets, m.weights, m.offsets = m.targets[:0], m.weights[:0], m.offsets[:0]
	for k := range b.Len() {
		m.addEvent(b.Src[k], b.Dst[k], b.Time[k], 1/float64(b.Len()))
	}
	loss, err := m.head.TrainRows(b, m.targets, m.weights)
	if err != nil {
		*m.noise.stream = before
		return 0, err
	}
	return loss, m.Observe(b)
}

// addEvent adds the rows of an event to those of a step: the true destination, and
// all that are drawn. One that is drawn several times is one row of as much weight,
// and the true one, if it is drawn, is a positive and some negatives in one row.
func (m *Model) addEvent(src, dst int32, time, weight float64) {
	s := &m.clocks.sources[src]
	nodes, drawn := m.noise.draw(s, dst)
	m.clocks.rows(src, time, nodes, m.x[len(m.targets)*m.clocks.columns():])
	for i, v := range nodes {
		positive := flag(v == dst)
		count := positive + float32(drawn[i])
		m.targets = append(m.targets, positive/count)
		m.weights = append(m.weights, weight*float64(count))
		m.offsets = append(m.offsets, float32(-math.Log(m.noise.expected(s, v))))
	}
}

// Classify is a task that the model does not have.
func (m *Model) Classify(datasets.Stream, []float32) error { return models.ErrTask }

func (m *Model) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	return models.RankScores(b, c, out, func(k int, nodes []int32, scores []float32) error {
		m.score(b.Src[k], b.Time[k], nodes, scores)
		return nil
	})
}

func (m *Model) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	for k := range b.Len() {
		m.score(b.Src[k], b.Time[k], candidates, logits[k*len(candidates):][:len(candidates)])
	}
	return models.CheckScores(b, logits[:b.Len()*len(candidates)])
}

// score writes the scores of the nodes. Those that were never a destination have one of
// two rows, depending on whether they ever were a source, and each is scored once.
func (m *Model) score(src int32, time float64, nodes []int32, scores []float32) {
	place := m.clocks.place
	m.asked, m.row = m.asked[:0], m.row[:0]
	unseen := [2]int32{-1, -1} // rows of nodes that were never a destination
	for _, v := range nodes {
		at := place[v] - 1
		same := &unseen[int(flag(m.clocks.sources[v].events > 0))]
		if isNew := m.clocks.destinations[v].events == 0; isNew && *same >= 0 {
			at = *same
		} else if at < 0 {
			at = int32(len(m.asked))
			m.asked = append(m.asked, v)
			if place[v] = at + 1; isNew {
				*same = at
			}
		}
		m.row = append(m.row, at)
	}
	for _, v := range m.asked {
		place[v] = 0
	}
	if len(m.logits) < len(m.asked) {
		m.logits = make([]float32, len(m.asked))
	}
	for lo := 0; lo < len(m.asked); lo += m.most {
		some := m.asked[lo:min(lo+m.most, len(m.asked))]
		m.clocks.rows(src, time, some, m.x)
		m.head.Infer(len(some), m.logits[lo:])
	}
	for i, at := range m.row {
		scores[i] = m.logits[at]
	}
}

func (m *Model) Observe(b datasets.Stream) error {
	if err := models.CheckClock(b); err != nil {
		return err
	}
	m.clocks.fold(b)
	m.noise.fold(b)
	return nil
}

func (m *Model) Reset() {
	m.clocks.reset()
	m.noise.reset()
}

func (m *Model) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, models.ParamsOf(m.head.Network), m.fields())
}

func (m *Model) Restore(s models.Snapshot) error {
	return models.Put(s, models.ParamsOf(m.head.Network), m.fields())
}

// NumParams counts the MLP's parameters.
func (m *Model) NumParams() int { return m.head.NumParams() }

// Facts are those of a node alone: what is kept of pairs grows with the stream.
func (m *Model) Facts() models.Facts {
	n := len(m.clocks.halfLives)
	return models.Facts{Parameters: m.head.Parts(), State: 2 + 5 + n, Forgetting: n}
}
