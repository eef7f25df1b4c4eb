//go:build amd64 && !purego

package cpu

// rankKernels are the kernels of one level: those that count for one, two, ...
// blocks of events at once and those that store scores, of candidates that stay
// and that move with time.
type rankKernels struct {
	scores       func(u *float32, uBlock uintptr, p *float32, pRow uintptr, w *float32, dim int, rows *int32, n int, out *float32)
	count        []rankCount
	scoresMoving func(u *float32, uBlock uintptr, p *float32, pRow uintptr, w *float32, dim int, rows *int32, n int,
		slope, eventTime, nodeTime, out *float32)
	countMoving []rankCountMoving
}

type (
	rankCount func(u *float32, uBlock uintptr, p *float32, pRow uintptr, w *float32, dim int, rows *int32, n int,
		truth *float32, greater, equal *int32, bad *float32)
	rankCountMoving func(u *float32, uBlock uintptr, p *float32, pRow uintptr, w *float32, dim int, rows *int32, n int,
		slope, eventTime, nodeTime, truth *float32, greater, equal *int32, bad *float32)
)

func (k *rankKernels) newScorer(parts, maxEvents, maxDim int) scorer {
	padded := (maxEvents + rankLanes - 1) / rankLanes * rankLanes
	s := &vectorScorer{rankKernels: k, packed: make([]float32, padded*maxDim), truth: make([]float32, padded), times: make([]float32, padded)}
	for range parts {
		s.parts = append(s.parts, rankPart{greater: make([]int32, padded), equal: make([]int32, padded), bad: make([]float32, padded)})
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
	*rankKernels
	q              Ranking
	greater, equal []int32
	packed         []float32 // U, block by block, each Dim x rankLanes
	truth          []float32 // scores of the true destinations
	times          []float32 // of the events, where candidates move
	block          [rankLanes * rankLanes]float32
	node           [1]int32
	parts          []rankPart
}

// rankPart is what a part counts, by event, and the candidates that it is at.
type rankPart struct {
	greater, equal []int32
	bad            []float32 // NaN where a score is not finite, else 0
	nodes          [rankChunk]int32
}

func (s *vectorScorer) set(q Ranking, greater, equal []int32) {
	s.q, s.greater, s.equal = q, greater, equal
	copy(s.times, q.EventTime)
	for e := 0; e < q.Events; e += rankLanes {
		events := min(rankLanes, q.Events-e)
		if q.Dim > 0 {
			packTransposed(s.packed[e*q.Dim:], rankLanes, q.U[e*q.Dim:], q.Dim, q.Dim, events)
		}
		s.scoreBlock(e, q.True[e:e+events])
		for i := range events {
			s.truth[e+i] = s.block[i*rankLanes+i]
		}
	}
}

func (s *vectorScorer) score(event int, node int32) float32 {
	s.node[0] = node
	s.scoreBlock(event/rankLanes*rankLanes, s.node[:])
	return s.block[event%rankLanes]
}

// scoreBlock scores at most rankLanes nodes for the block of events that begins
// with event, into a row of block for each node.
func (s *vectorScorer) scoreBlock(event int, nodes []int32) {
	k, out := s.operands(event), &s.block[0]
	if s.q.Slope == nil {
		s.scores(k.u, k.uBlock, k.p, k.pRow, k.w, s.q.Dim, &nodes[0], len(nodes), out)
	} else {
		s.scoresMoving(k.u, k.uBlock, k.p, k.pRow, k.w, s.q.Dim, &nodes[0], len(nodes), k.slope, k.events, k.nodes, out)
	}
}

// rankOperands are the arguments that all kernels share, and those of moving
// candidates. Without dimensions there is nothing to point to, and nothing is
// read.
type rankOperands struct {
	u, p, w              *float32
	uBlock, pRow         uintptr
	slope, events, nodes *float32
}

func (s *vectorScorer) operands(event int) rankOperands {
	d := s.q.Dim
	k := rankOperands{uBlock: uintptr(d) * rankLanes * 4, pRow: uintptr(d) * 4}
	if d > 0 {
		k.u, k.p, k.w = &s.packed[event*d], &s.q.P[0], &s.q.W[0]
	}
	if s.q.Slope != nil {
		k.events, k.nodes = &s.times[event], &s.q.NodeTime[0]
		if d > 0 {
			k.slope = &s.q.Slope[0]
		}
	}
	return k
}

func (s *vectorScorer) countPart(part int) {
	c := &s.parts[part]
	clear(c.greater)
	clear(c.equal)
	clear(c.bad)
	lo, hi := Split(s.q.NumCandidates(), len(s.parts), part)
	for ; lo < hi; lo += rankChunk {
		nodes := c.nodes[:min(rankChunk, hi-lo)]
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

// countChunk goes through the events in as few groups of blocks as there are
// kernels for, all of about the same size.
func (s *vectorScorer) countChunk(c *rankPart, nodes []int32) {
	most := len(s.count)
	blocks := (s.q.Events + rankLanes - 1) / rankLanes
	groups := (blocks + most - 1) / most
	for group := range groups {
		lo, hi := Split(blocks, groups, group)
		e := lo * rankLanes
		k, d, n, first := s.operands(e), s.q.Dim, len(nodes), &nodes[0]
		truth, greater, equal, bad := &s.truth[e], &c.greater[e], &c.equal[e], &c.bad[e]
		if s.q.Slope == nil {
			s.count[hi-lo-1](k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, truth, greater, equal, bad)
		} else {
			s.countMoving[hi-lo-1](k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, k.slope, k.events, k.nodes, truth, greater, equal, bad)
		}
	}
}

// collect adds up the parts and subtracts what was counted but is not a
// negative.
func (s *vectorScorer) collect() (bad int) {
	bad = -1
	for e := range s.greater {
		truth := s.truth[e]
		spoilt := truth - truth
		greater, equal := int32(0), int32(0)
		for i := range s.parts {
			c := &s.parts[i]
			greater += c.greater[e]
			equal += c.equal[e]
			spoilt += c.bad[e]
		}
		s.q.Excluded(e, func(v int32) {
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
