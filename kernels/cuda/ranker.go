//go:build gpu

package cuda

import (
	"fmt"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
	"dgsbench/kernels/portable"
)

// ranker ranks on the card: counts come back, scores do not.
type ranker struct {
	device            *Device
	maxEvents, maxDim int

	eventTime, nodeTime kernels.Buffer
	nodes               kernels.Ints   // the candidates
	truth               kernels.Buffer // scores of the true destinations
	facts               kernels.Ints   // greater, equal and bad of each event
	pairs               pairs
	scores              kernels.Buffer // of Scores
}

// pairs are single pairs of an event and a node.
type pairs struct {
	events, nodes     []int32
	onEvents, onNodes kernels.Ints
	scores            kernels.Buffer
}

// NewRanker serves rankings of at most so many events and dimensions.
func (d *Device) NewRanker(maxEvents, maxDim int) kernels.Ranker {
	return &ranker{
		device: d, maxEvents: maxEvents, maxDim: maxDim,
		eventTime: d.NewBuffer(maxEvents), truth: d.NewBuffer(maxEvents), facts: d.NewInts(3 * maxEvents),
	}
}

// Rank counts the negatives above and level.
func (r *ranker) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	r.check(&q)
	a := r.ask(&q)
	row := uint64(q.Events * wordBytes)
	above := list(r.facts, 3*q.Events)
	level, notFinite := above+row, above+2*row
	r.device.fill(driver.Ptr(above), 3*q.Events*wordBytes)

	truth := at(r.truth, q.Events)
	r.pairs.reset()
	for e, v := range q.True[:q.Events] {
		r.pairs.add(e, v)
	}
	r.scorePairs(a, truth, notFinite)
	r.scoreAll(a, truth, 0, above, level, notFinite)
	r.leaveOut(&q, a, truth, above, level, notFinite)
	return r.collect(q.Events, greater, equal)
}

// leaveOut takes candidates that are no negatives back out of the counts.
func (r *ranker) leaveOut(q *kernels.Ranking, a asked, truth, above, level, bad uint64) {
	r.pairs.reset()
	left := portable.Ranking[float32]{Nodes: q.Nodes, Candidates: q.Candidates, True: q.True, Without: q.Without}
	for e := range q.Events {
		left.LeftOut(e, func(v int32) { r.pairs.add(e, v) })
	}
	n := len(r.pairs.events)
	if n == 0 {
		return
	}
	r.pairs.scores = r.device.atLeast(r.pairs.scores, n)
	scores := at(r.pairs.scores, n)
	r.scorePairs(a, scores, bad)
	r.device.spread("leave_out", n, whole(n), list(r.pairs.onEvents, n), scores, truth, above, level)
}

// collect copies the counts.
func (r *ranker) collect(events int, greater, equal []int32) (bad int) {
	facts := r.device.readInts(r.facts, 3*events)
	copy(greater[:events], facts)
	copy(equal[:events], facts[events:])
	for e, found := range facts[2*events:] {
		if found != 0 {
			return e
		}
	}
	return -1
}

// Scores writes the scores of all candidates.
func (r *ranker) Scores(q kernels.Ranking, out []float32) {
	r.check(&q)
	a := r.ask(&q)
	n := a.events * a.candidates
	r.scores = r.device.atLeast(r.scores, n)
	r.scoreAll(a, 0, at(r.scores, n), 0, 0, 0)
	r.device.Read(out[:n], r.scores)
}

// candidates is how many there are: without a list every node is one.
func candidates(q *kernels.Ranking) int {
	if q.Candidates == nil {
		return q.Nodes
	}
	return len(q.Candidates)
}

func (r *ranker) check(q *kernels.Ranking) {
	if q.Events > r.maxEvents || q.Dim > r.maxDim {
		panic(fmt.Sprintf("ranking: %d events of dimension %d, made for %d of %d", q.Events, q.Dim, r.maxEvents, r.maxDim))
	}
	for _, nodes := range [][]int32{q.True[:q.Events], q.Candidates} {
		for _, v := range nodes {
			if v < 0 || int(v) >= q.Nodes {
				panic(fmt.Sprintf("ranking: node %d of %d", v, q.Nodes))
			}
		}
	}
}

// asked is a question whose parts are on the card.
type asked struct {
	events, candidates int
	terms              []uint64 // parameters that say what scores are made of
	nodes              uint64   // the candidates; 0 stands for all nodes
}

// ask puts what the host knows of the question on the card.
func (r *ranker) ask(q *kernels.Ranking) asked {
	d := r.device
	a := asked{events: q.Events, candidates: candidates(q)}
	a.terms = []uint64{whole(q.Dim), at(q.U, q.Events*q.Dim), at(q.P, q.Nodes*q.Dim), at(q.W, q.Dim), 0, 0, 0}
	if q.Slope != nil {
		r.nodeTime = d.atLeast(r.nodeTime, q.Nodes)
		d.Write(r.eventTime, q.EventTime[:q.Events])
		d.Write(r.nodeTime, q.NodeTime[:q.Nodes])
		a.terms[4], a.terms[5], a.terms[6] = at(q.Slope, q.Nodes*q.Dim), at(r.eventTime, q.Events), at(r.nodeTime, q.Nodes)
	}
	if q.Candidates != nil {
		r.nodes = d.atLeastInts(r.nodes, a.candidates)
		d.WriteInts(r.nodes, q.Candidates)
		a.nodes = list(r.nodes, a.candidates)
	}
	return a
}

// scorePairs scores the pairs.
func (r *ranker) scorePairs(a asked, scores, bad uint64) {
	d, p, n := r.device, &r.pairs, len(r.pairs.events)
	p.onEvents, p.onNodes = d.atLeastInts(p.onEvents, n), d.atLeastInts(p.onNodes, n)
	d.WriteInts(p.onEvents, p.events)
	d.WriteInts(p.onNodes, p.nodes)
	parameters := append([]uint64{whole(n)}, a.terms...)
	d.spread("pair_scores", n, append(parameters, list(p.onEvents, n), list(p.onNodes, n), scores, bad)...)
}

// scoreAll scores all candidates. It keeps the scores, or else compares them
// with truth and counts.
func (r *ranker) scoreAll(a asked, truth, scores, above, level, bad uint64) {
	if a.events == 0 || a.candidates == 0 {
		return
	}
	const shared = 3 * gemmTile * (gemmTile + 1) * wordBytes // of events, candidates and slopes
	parameters := append([]uint64{whole(a.events), whole(a.candidates)}, a.terms...)
	r.device.launch("all_scores", driver.Launch{Blocks: tiles(a.candidates, a.events), Threads: mostThreads, Shared: shared},
		append(parameters, a.nodes, truth, scores, above, level, bad)...)
}

func (p *pairs) reset() { p.events, p.nodes = p.events[:0], p.nodes[:0] }

func (p *pairs) add(event int, node int32) {
	p.events, p.nodes = append(p.events, int32(event)), append(p.nodes, node)
}

// atLeast is b, or a larger one if it has no n numbers.
func (d *Device) atLeast(b kernels.Buffer, n int) kernels.Buffer {
	if b != nil && b.Len() >= n {
		return b
	}
	return d.NewBuffer(n)
}

// atLeastInts is the same for lists.
func (d *Device) atLeastInts(l kernels.Ints, n int) kernels.Ints {
	if l != nil && l.Len() >= n {
		return l
	}
	return d.NewInts(n)
}
