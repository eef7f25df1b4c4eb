//go:build amd64 && !purego

package cpu

//go:generate go run ./internal/gen/rank

func newScorer(level Level, parts, maxEvents, maxDim int) scorer {
	if level == Portable {
		return &portableScorer{bad: make([]int, parts)}
	}
	padded := (maxEvents + rankLanes - 1) / rankLanes * rankLanes
	s := &vectorScorer{level: level, packed: make([]float32, padded*maxDim), truth: make([]float32, padded), times: make([]float32, padded)}
	for range parts {
		s.parts = append(s.parts, rankCounts{make([]int32, padded), make([]int32, padded), make([]float32, padded)})
	}
	return s
}

const (
	rankLanes = 16  // events in a block: they are scored side by side
	rankChunk = 128 // candidates that stay in cache while all events meet them
)

// vectorScorer divides the candidates over the parts: each part scores its
// candidates for all events.
type vectorScorer struct {
	level          Level
	q              Ranking
	greater, equal []int32
	packed         []float32 // U, block by block, each Dim x rankLanes
	truth          []float32 // scores of the true destinations
	times          []float32 // of the events, where candidates move
	parts          []rankCounts
}

// rankCounts are what a part counts, by event.
type rankCounts struct {
	greater, equal []int32
	bad            []float32 // NaN where a score is not finite, else 0
}

func (s *vectorScorer) ask(q Ranking, greater, equal []int32) {
	s.q, s.greater, s.equal = q, greater, equal
	copy(s.times, q.EventTime)
	var scores [rankLanes * rankLanes]float32
	for e := 0; e < q.Events; e += rankLanes {
		events := min(rankLanes, q.Events-e)
		if q.Dim > 0 {
			packTransposed(s.packed[e*q.Dim:], rankLanes, q.U[e*q.Dim:], q.Dim, q.Dim, events)
		}
		s.scores(e, q.True[e:e+events], scores[:])
		for i := range events {
			s.truth[e+i] = scores[i*rankLanes+i]
		}
	}
}

func (s *vectorScorer) score(event int, node int32) float32 {
	var scores [rankLanes]float32
	s.scores(event, []int32{node}, scores[:])
	return scores[event%rankLanes]
}

// scores scores the nodes for all events of the event's block, a row of
// rankLanes a node.
func (s *vectorScorer) scores(event int, nodes []int32, out []float32) {
	k := s.operands(event / rankLanes * rankLanes)
	out = out[:len(nodes)*rankLanes]
	if s.q.Slope != nil {
		s.scoresMoving(k, event/rankLanes*rankLanes, nodes, out)
		return
	}
	if s.level == AVX512 {
		rankScoresAVX512(k.u, k.uBlock, k.p, k.pRow, k.w, s.q.Dim, &nodes[0], len(nodes), &out[0])
	} else {
		rankScoresAVX2(k.u, k.uBlock, k.p, k.pRow, k.w, s.q.Dim, &nodes[0], len(nodes), &out[0])
	}
}

// rankOperands are the arguments that all kernels share. Without dimensions
// there is nothing to point to, and nothing is read.
type rankOperands struct {
	u, p, w      *float32
	uBlock, pRow uintptr
}

func (s *vectorScorer) operands(event int) rankOperands {
	d := s.q.Dim
	k := rankOperands{uBlock: uintptr(d) * rankLanes * 4, pRow: uintptr(d) * 4}
	if d > 0 {
		k.u, k.p, k.w = &s.packed[event*d], &s.q.P[0], &s.q.W[0]
	}
	return k
}

func (s *vectorScorer) count(part int) {
	c := &s.parts[part]
	clear(c.greater)
	clear(c.equal)
	clear(c.bad)
	lo, hi := Split(s.q.NumCandidates(), len(s.parts), part)
	var all [rankChunk]int32
	for ; lo < hi; lo += rankChunk {
		nodes := all[:min(rankChunk, hi-lo)]
		if s.q.Candidates != nil {
			nodes = s.q.Candidates[lo:][:len(nodes)]
		} else {
			for i := range nodes {
				nodes[i] = int32(lo + i)
			}
		}
		s.countChunk(c, nodes)
	}
}

// countChunk goes through the events in groups of at most four blocks (AVX2:
// one), all of about the same size.
func (s *vectorScorer) countChunk(c *rankCounts, nodes []int32) {
	largest := 4
	if s.level == AVX2 {
		largest = 1
	}
	blocks := (s.q.Events + rankLanes - 1) / rankLanes
	groups := (blocks + largest - 1) / largest
	for group := range groups {
		lo, hi := Split(blocks, groups, group)
		s.countGroup(c, nodes, lo*rankLanes, hi-lo)
	}
}

func (s *vectorScorer) countGroup(c *rankCounts, nodes []int32, e, blocks int) {
	k, d, n, first := s.operands(e), s.q.Dim, len(nodes), &nodes[0]
	truth, greater, equal, bad := &s.truth[e], &c.greater[e], &c.equal[e], &c.bad[e]
	if s.q.Slope != nil {
		s.countMoving(k, c, nodes, e, blocks)
		return
	}
	switch {
	case s.level == AVX2:
		rankCountAVX2(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, truth, greater, equal, bad)
	case blocks == 1:
		rankCountAVX512x1(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, truth, greater, equal, bad)
	case blocks == 2:
		rankCountAVX512x2(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, truth, greater, equal, bad)
	case blocks == 3:
		rankCountAVX512x3(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, truth, greater, equal, bad)
	default:
		rankCountAVX512x4(k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, truth, greater, equal, bad)
	}
}

// collect adds up the parts and takes back what was counted but is no
// negative.
func (s *vectorScorer) collect() (bad int) {
	bad = -1
	for e := range s.greater {
		truth := s.truth[e]
		spoilt := truth - truth
		greater, equal := int32(0), int32(0)
		for _, c := range s.parts {
			greater += c.greater[e]
			equal += c.equal[e]
			spoilt += c.bad[e]
		}
		s.q.LeftOut(e, func(v int32) {
			score := s.score(e, v)
			if score > truth {
				greater--
			}
			if score == truth {
				equal--
			}
		})
		s.greater[e], s.equal[e] = greater, equal
		if spoilt != 0 && bad < 0 { // NaN
			bad = e
		}
	}
	return bad
}
