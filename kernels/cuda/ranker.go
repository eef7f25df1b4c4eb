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
	question, nodes := r.ask(&q)
	d, facts := r.device, driver.Ptr(list(r.facts, 3*q.Events))
	d.fill(facts, 3*q.Events*wordBytes)
	above := uint64(facts)
	level, notFinite := above+uint64(q.Events*wordBytes), above+uint64(2*q.Events*wordBytes)

	r.pairs.reset()
	for e, v := range q.True[:q.Events] {
		r.pairs.add(e, v)
	}
	r.score(question, at(r.truth, q.Events), notFinite)
	truth := at(r.truth, q.Events)
	r.all(&q, question, nodes, truth, 0, above, level, notFinite)

	r.pairs.reset()
	left := portable.Ranking[float32]{Nodes: q.Nodes, Candidates: q.Candidates, True: q.True, Without: q.Without}
	for e := range q.Events {
		left.LeftOut(e, func(v int32) { r.pairs.add(e, v) })
	}
	if n := len(r.pairs.events); n > 0 {
		r.pairs.scores = d.atLeast(r.pairs.scores, n)
		r.score(question, at(r.pairs.scores, n), notFinite)
		d.threads("leave_out", n, 0, whole(n), list(r.pairs.onEvents, n), at(r.pairs.scores, n), truth, above, level)
	}
	return r.collect(q.Events, greater, equal)
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
	question, nodes := r.ask(&q)
	n := q.Events * candidates(&q)
	r.scores = r.device.atLeast(r.scores, n)
	r.all(&q, question, nodes, 0, at(r.scores, n), 0, 0, 0)
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

// ask puts what the host knows of the question on the card. It returns the
// parameters that say how to score, and the list of candidates.
func (r *ranker) ask(q *kernels.Ranking) (question []uint64, nodes uint64) {
	d := r.device
	question = []uint64{whole(q.Dim), at(q.U, q.Events*q.Dim), at(q.P, q.Nodes*q.Dim), at(q.W, q.Dim), 0, 0, 0}
	if q.Slope != nil {
		r.nodeTime = d.atLeast(r.nodeTime, q.Nodes)
		d.Write(r.eventTime, q.EventTime[:q.Events])
		d.Write(r.nodeTime, q.NodeTime[:q.Nodes])
		question[4], question[5], question[6] = at(q.Slope, q.Nodes*q.Dim), at(r.eventTime, q.Events), at(r.nodeTime, q.Nodes)
	}
	if q.Candidates != nil {
		r.nodes = d.atLeastInts(r.nodes, len(q.Candidates))
		d.WriteInts(r.nodes, q.Candidates)
		nodes = list(r.nodes, len(q.Candidates))
	}
	return question, nodes
}

// score scores the pairs.
func (r *ranker) score(question []uint64, scores, bad uint64) {
	d, p, n := r.device, &r.pairs, len(r.pairs.events)
	p.onEvents, p.onNodes = d.atLeastInts(p.onEvents, n), d.atLeastInts(p.onNodes, n)
	d.WriteInts(p.onEvents, p.events)
	d.WriteInts(p.onNodes, p.nodes)
	parameters := append([]uint64{whole(n)}, question...)
	d.threads("pair_scores", n, 0, append(parameters, list(p.onEvents, n), list(p.onNodes, n), scores, bad)...)
}

// all scores all candidates, and keeps or counts the scores.
func (r *ranker) all(q *kernels.Ranking, question []uint64, nodes, truth, scores, above, level, bad uint64) {
	n := candidates(q)
	if n == 0 || q.Events == 0 {
		return
	}
	const shared = 3 * gemmTile * (gemmTile + 1) * wordBytes
	parameters := append([]uint64{whole(q.Events), whole(n)}, question...)
	r.device.launch("all_scores", driver.Launch{Blocks: tiles(n, q.Events), Threads: mostThreads, Shared: shared},
		append(parameters, nodes, truth, scores, above, level, bad)...)
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
