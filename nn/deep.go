package nn

import (
	"slices"

	"dgsbench/kernels"
)

// deepScorer is the rest of a pair head with several hidden layers or with
// normalised ones. Only the first product splits, so every pair goes through
// what follows.
type deepScorer struct {
	device       kernels.Device
	layers       []layer        // those of the head
	x, y         kernels.Buffer // up to PairChunk pairs
	hat, inverse kernels.Buffer // of LayerNorm
	zeros        kernels.Buffer
	event, node  kernels.Ints // up to PairChunk rows
	rows         []int32
	scores       []float32 // of the candidates of an event and then of its true destination
}

func newDeepScorer(d kernels.Device, layers []layer) *deepScorer {
	width := 0
	for _, l := range layers {
		width = max(width, l.out)
	}
	block := func() kernels.Buffer { return d.NewBuffer(PairChunk * width) }
	s := &deepScorer{
		device: d, layers: layers, x: block(), y: block(),
		event: d.NewInts(PairChunk), node: d.NewInts(PairChunk), rows: make([]int32, PairChunk),
	}
	if layers[0].scale != nil {
		s.hat, s.zeros, s.inverse = block(), block(), d.NewBuffer(PairChunk)
	}
	return s
}

// Rank implements kernels.Ranker.
func (s *deepScorer) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	q.CheckCounts(greater, equal)
	bad = -1
	for e := range q.Events {
		s.score(&q, e)
		var finite bool
		greater[e], equal[e], finite = kernels.CountAbove(&q, e, func(_ int, v int32) float32 { return s.scores[s.place(&q, v)] })
		if !finite && bad < 0 {
			bad = e
		}
	}
	return bad
}

// Scores implements kernels.Ranker.
func (s *deepScorer) Scores(q kernels.Ranking, out []float32) {
	q.CheckScores(out)
	for e := range q.Events {
		s.score(&q, e)
		copy(out[e*q.NumCandidates():], s.scores[:q.NumCandidates()])
	}
}

// place returns where scores has that of a candidate, or else of the true destination.
func (s *deepScorer) place(q *kernels.Ranking, v int32) int {
	if q.Candidates == nil {
		return int(v)
	}
	if i, ok := slices.BinarySearch(q.Candidates, v); ok {
		return i
	}
	return len(q.Candidates)
}

// score sets the scores of an event.
func (s *deepScorer) score(q *kernels.Ranking, e int) {
	n := q.NumCandidates() + 1
	s.scores = slices.Grow(s.scores[:0], n)[:n]
	for i := range s.rows {
		s.rows[i] = int32(e)
	}
	s.device.WriteInts(s.event, s.rows)
	for first := 0; first < n; first += PairChunk {
		rows := min(PairChunk, n-first)
		for i := range rows {
			if k := first + i; k < n-1 {
				s.rows[i] = q.Candidate(k)
			} else {
				s.rows[i] = q.True[e]
			}
		}
		s.device.WriteInts(s.node, s.rows[:rows])
		s.block(q, rows)
		s.device.Read(s.scores[first:][:rows], s.x)
	}
}

// block takes pairs of event and node through the layers, to x.
func (s *deepScorer) block(q *kernels.Ranking, rows int) {
	d := s.device
	d.GatherRows(rows, q.Events, q.Dim, s.x, q.U, s.event)
	d.GatherRows(rows, q.Nodes, q.Dim, s.y, q.P, s.node)
	if s.zeros == nil {
		d.AddReLU(rows*q.Dim, s.x, s.x, s.y)
	} else {
		d.Add(rows*q.Dim, s.x, s.x, s.y)
	}
	for i, l := range s.layers[1:] {
		if before := s.layers[i]; before.scale != nil {
			d.LayerNorm(rows, before.out, normEps, s.y, s.hat, s.inverse, s.x, before.scale, before.shift)
			d.AddReLU(rows*before.out, s.x, s.y, s.zeros)
		}
		hidden := i+2 < len(s.layers)
		d.Gemm(kernels.NN, rows, l.out, l.in, s.x, l.w, s.y, l.b, hidden && l.scale == nil)
		s.x, s.y = s.y, s.x
	}
}
