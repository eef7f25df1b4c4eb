//go:build amd64 && !purego

package cpu

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

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

const (
	rankLanes = 16  // events in a block: they are scored side by side
	rankChunk = 128 // candidates that stay in cache while they are scored for all events
)

// ranker divides the candidates over the threads: each scores its candidates
// for all events. A score is one sum over the dimensions in order, by fused
// multiply-add: equal rows have equal scores, whatever is computed beside them.
// Neither the level nor the number of threads changes a count.
type ranker struct {
	*rankKernels
	device            *Device // whose threads end when it is no longer reachable
	maxEvents, maxDim int

	q         portable.Question[float32]
	packed    []float32 // U, block by block, each Dim x rankLanes
	truth     []float32 // scores of the true destinations
	times     []float32 // of the events, where candidates move
	block     [rankLanes * rankLanes]float32
	node      [1]int32
	parts     []rankPart
	countPart func(part int)
}

// rankPart is what a part counts, by event, and the candidates that it is at.
type rankPart struct {
	greater, equal []int32
	bad            []float32 // NaN where a score is not finite, else 0
	nodes          [rankChunk]int32
}

func (k *rankKernels) newRanker(d *Device, maxEvents, maxDim int) kernels.Ranker {
	padded := (maxEvents + rankLanes - 1) / rankLanes * rankLanes
	r := &ranker{
		rankKernels: k, device: d, maxEvents: maxEvents, maxDim: maxDim,
		packed: make([]float32, padded*maxDim), truth: make([]float32, padded), times: make([]float32, padded),
	}
	for range d.pool.Workers() {
		r.parts = append(r.parts, rankPart{greater: make([]int32, padded), equal: make([]int32, padded), bad: make([]float32, padded)})
	}
	r.countPart = r.countCandidates
	return r
}

func (r *ranker) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	q.CheckCounts(greater, equal)
	r.set(q)
	r.device.pool.Run(len(r.parts), r.countPart)
	return r.collect(greater[:q.Events], equal[:q.Events])
}

func (r *ranker) Scores(q kernels.Ranking, out []float32) {
	q.CheckScores(out)
	r.set(q)
	for i, n := 0, q.NumCandidates(); i < q.Events*n; i++ {
		out[i] = r.score(i/n, q.Candidate(i%n))
	}
}

// set sets the question, packs U and scores the true destinations.
func (r *ranker) set(ranking kernels.Ranking) {
	ranking.Check(r.maxEvents, r.maxDim)
	r.q = r.device.Question(ranking)
	q := &r.q
	copy(r.times, q.EventTime)
	for e := 0; e < q.Events; e += rankLanes {
		events := min(rankLanes, q.Events-e)
		if q.Dim > 0 {
			packTransposed(r.packed[e*q.Dim:], rankLanes, q.U[e*q.Dim:], q.Dim, q.Dim, events)
		}
		r.scoreBlock(e, q.True[e:e+events])
		for i := range events {
			r.truth[e+i] = r.block[i*rankLanes+i]
		}
	}
}

// score is the score of one pair.
func (r *ranker) score(event int, node int32) float32 {
	r.node[0] = node
	r.scoreBlock(event/rankLanes*rankLanes, r.node[:])
	return r.block[event%rankLanes]
}

// scoreBlock scores at most rankLanes nodes for the block of events that begins
// with event, into a row of block for each node.
func (r *ranker) scoreBlock(event int, nodes []int32) {
	k, out := r.operands(event), &r.block[0]
	if r.q.Slope == nil {
		r.scores(k.u, k.uBlock, k.p, k.pRow, k.w, r.q.Dim, &nodes[0], len(nodes), out)
	} else {
		r.scoresMoving(k.u, k.uBlock, k.p, k.pRow, k.w, r.q.Dim, &nodes[0], len(nodes), k.slope, k.events, k.nodes, out)
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

func (r *ranker) operands(event int) rankOperands {
	d := r.q.Dim
	k := rankOperands{uBlock: uintptr(d) * rankLanes * 4, pRow: uintptr(d) * 4}
	if d > 0 {
		k.u, k.p, k.w = &r.packed[event*d], &r.q.P[0], &r.q.W[0]
	}
	if r.q.Slope != nil {
		k.events, k.nodes = &r.times[event], &r.q.NodeTime[0]
		if d > 0 {
			k.slope = &r.q.Slope[0]
		}
	}
	return k
}

// countCandidates counts the candidates of a part for all events.
func (r *ranker) countCandidates(part int) {
	c := &r.parts[part]
	clear(c.greater)
	clear(c.equal)
	clear(c.bad)
	lo, hi := Split(r.q.NumCandidates(), len(r.parts), part)
	for ; lo < hi; lo += rankChunk {
		nodes := c.nodes[:min(rankChunk, hi-lo)]
		if r.q.Candidates != nil {
			nodes = r.q.Candidates[lo:][:len(nodes)]
		} else {
			for i := range nodes {
				nodes[i] = int32(lo + i)
			}
		}
		r.countChunk(c, nodes)
	}
}

// countChunk goes through the events in as few groups of blocks as there are
// kernels for, all of about the same size.
func (r *ranker) countChunk(c *rankPart, nodes []int32) {
	limit := len(r.count)
	blocks := (r.q.Events + rankLanes - 1) / rankLanes
	groups := (blocks + limit - 1) / limit
	for group := range groups {
		lo, hi := Split(blocks, groups, group)
		e := lo * rankLanes
		k, d, n, first := r.operands(e), r.q.Dim, len(nodes), &nodes[0]
		truth, greater, equal, bad := &r.truth[e], &c.greater[e], &c.equal[e], &c.bad[e]
		if r.q.Slope == nil {
			r.count[hi-lo-1](k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, truth, greater, equal, bad)
		} else {
			r.countMoving[hi-lo-1](k.u, k.uBlock, k.p, k.pRow, k.w, d, first, n, k.slope, k.events, k.nodes, truth, greater, equal, bad)
		}
	}
}

// collect adds up the parts and subtracts what was counted but is not a
// negative.
func (r *ranker) collect(greater, equal []int32) (bad int) {
	bad = -1
	for e := range greater {
		truth := r.truth[e]
		notFinite := truth - truth // NaN, else 0
		above, level := int32(0), int32(0)
		for i := range r.parts {
			c := &r.parts[i]
			above += c.greater[e]
			level += c.equal[e]
			notFinite += c.bad[e]
		}
		r.q.Excluded(e, func(v int32) {
			score := r.score(e, v)
			if score > truth {
				above--
			}
			if score == truth {
				level--
			}
		})
		greater[e], equal[e] = above, level
		if notFinite != 0 && bad < 0 {
			bad = e
		}
	}
	return bad
}
