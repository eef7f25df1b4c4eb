package nn

import "dgsbench/kernels"

// deepScorer is the rest of a pair head with several hidden layers or with
// normalised ones. Only the first product splits, so every pair goes through
// what follows.
type deepScorer struct {
	device       kernels.Device
	layers       []layer        // those of the head
	left         kernels.Buffer // PairChunk times the left part of an event
	x, y         kernels.Buffer // up to PairChunk pairs
	hat, inverse kernels.Buffer // of LayerNorm
	zeros        kernels.Buffer
	index        kernels.Ints // up to PairChunk rows
	rows         []int32
	some         []float32 // scores of up to PairChunk pairs
	scores       []float32 // by node: of the candidates of an event and of its true destination; others are of earlier events
}

func newDeepScorer(d kernels.Device, layers []layer, nodes int) *deepScorer {
	width := 0
	for _, l := range layers {
		width = max(width, l.out)
	}
	block := func() kernels.Buffer { return d.NewBuffer(PairChunk * width) }
	s := &deepScorer{
		device: d, layers: layers, left: block(), x: block(), y: block(),
		index: d.NewInts(PairChunk), rows: make([]int32, PairChunk),
		some: make([]float32, PairChunk), scores: make([]float32, nodes),
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
		greater[e], equal[e], finite = kernels.CountAbove(&q, e, func(_ int, v int32) float32 { return s.scores[v] })
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
		for i := range q.NumCandidates() {
			out[e*q.NumCandidates()+i] = s.scores[q.Candidate(i)]
		}
	}
}

// score sets the scores of an event.
func (s *deepScorer) score(q *kernels.Ranking, e int) {
	n := q.NumCandidates() + 1
	lefts := s.rows[:min(PairChunk, n)]
	for i := range lefts {
		lefts[i] = int32(e)
	}
	s.device.WriteInts(s.index, lefts)
	s.device.GatherRows(len(lefts), q.Events, q.Dim, s.left, q.U, s.index)
	for first := 0; first < n; first += PairChunk {
		nodes := s.rows[:min(PairChunk, n-first)]
		for i := range nodes {
			if k := first + i; k < n-1 {
				nodes[i] = q.Candidate(k)
			} else {
				nodes[i] = q.True[e]
			}
		}
		s.device.WriteInts(s.index, nodes)
		s.block(q, len(nodes))
		s.device.Read(s.some[:len(nodes)], s.x)
		for i, v := range nodes {
			s.scores[v] = s.some[i]
		}
	}
}

// block takes pairs of the event and the nodes of index through the layers, to x.
func (s *deepScorer) block(q *kernels.Ranking, rows int) {
	d := s.device
	d.GatherRows(rows, q.Nodes, q.Dim, s.x, q.P, s.index)
	if s.zeros == nil {
		d.AddReLU(rows*q.Dim, s.x, s.left, s.x)
	} else {
		d.Add(rows*q.Dim, s.x, s.left, s.x)
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
