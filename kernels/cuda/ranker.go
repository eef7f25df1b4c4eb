//go:build gpu

package cuda

import (
	"slices"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// ranker ranks on the card: counts come back, scores do not.
type ranker struct {
	device            *Device
	maxEvents, maxDim int

	asked, excluded words   // on the card
	events, nodes   []int32 // of the excluded pairs

	truth  kernels.Buffer // scores of the true destinations
	facts  words          // greater, equal and bad of each event
	scores kernels.Buffer // of Scores
}

func (d *Device) NewRanker(maxEvents, maxDim int) kernels.Ranker {
	return &ranker{
		device: d, maxEvents: maxEvents, maxDim: maxDim,
		truth: d.NewBuffer(maxEvents), facts: d.zeros(3 * maxEvents),
	}
}

// Rank counts the negatives above and level. While the card does so, the host
// finds the candidates that are no negatives; it waits once.
func (r *ranker) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	q.Check(r.maxEvents, r.maxDim)
	q.CheckCounts(greater, equal)
	if q.Events == 0 {
		return -1
	}
	d, a := r.device, r.upload(&q)
	row := uint64(q.Events * wordBytes)
	truth, above := at(r.truth, q.Events), r.facts.first(3*q.Events)
	level, notFinite := above+row, above+2*row
	d.launch("true_scores", threadsFor(q.Events), a.with([]uint64{intParam(q.Events)}, a.truths, truth, above, level, notFinite))
	r.scoreAll(&a, truth, 0, above, level, notFinite)
	events, nodes, n := r.exclude(&q)
	d.launch("exclude", threadsFor(n), a.with([]uint64{intParam(n)}, events, nodes, truth, above, level))
	facts := d.readInts(r.facts, 3*q.Events)
	copy(greater[:q.Events], facts)
	copy(equal[:q.Events], facts[q.Events:])
	return slices.IndexFunc(facts[2*q.Events:], func(found int32) bool { return found != 0 })
}

// exclude uploads the pairs that are no negatives.
func (r *ranker) exclude(q *kernels.Ranking) (events, nodes uint64, n int) {
	r.events, r.nodes = r.events[:0], r.nodes[:0]
	for e := range q.Events {
		q.Excluded(e, func(v int32) {
			r.events, r.nodes = append(r.events, int32(e)), append(r.nodes, v)
		})
	}
	n = len(r.nodes)
	events = uint64(r.device.sendTogether(&r.excluded, bytesOf(r.events), bytesOf(r.nodes)))
	return events, events + uint64(n*wordBytes), n
}

func (r *ranker) Scores(q kernels.Ranking, out []float32) {
	q.Check(r.maxEvents, r.maxDim)
	q.CheckScores(out)
	a := r.upload(&q)
	n := a.events * a.candidates
	if r.scores == nil || r.scores.Len() < n {
		r.scores = r.device.NewBuffer(n)
	}
	r.scoreAll(&a, 0, at(r.scores, n), 0, 0, 0)
	r.device.Read(out[:n], r.scores)
}

// question is a ranking whose parts are on the card.
type question struct {
	events, candidates int
	moving             bool
	terms              []uint64 // parameters that say what scores are made of
	truths             uint64   // the true destinations
	nodes              uint64   // the candidates; 0 stands for all nodes
}

// with is the parameters of a kernel: some, the terms, others.
func (a *question) with(before []uint64, after ...uint64) []uint64 {
	return append(append(before, a.terms...), after...)
}

// upload uploads what the host knows of a ranking, in one piece.
func (r *ranker) upload(q *kernels.Ranking) question {
	a := question{events: q.Events, candidates: q.Nodes, moving: q.Slope != nil}
	var eventTime, nodeTime []float32
	if a.moving {
		eventTime, nodeTime = q.EventTime[:q.Events], q.NodeTime[:q.Nodes]
	}
	a.truths = uint64(r.device.sendTogether(&r.asked,
		bytesOf(q.True[:q.Events]), bytesOf(q.Candidates), bytesOf(eventTime), bytesOf(nodeTime)))
	word := func(n int) uint64 { return a.truths + uint64(n*wordBytes) }

	a.terms = []uint64{intParam(q.Dim), at(q.U, q.Events*q.Dim), at(q.P, q.Nodes*q.Dim), at(q.W, q.Dim), 0, 0, 0}
	if q.Candidates != nil { // without a list every node is one
		a.candidates, a.nodes = len(q.Candidates), word(q.Events)
	}
	if a.moving {
		times := q.Events + len(q.Candidates)
		a.terms[4], a.terms[5], a.terms[6] = at(q.Slope, q.Nodes*q.Dim), word(times), word(times+q.Events)
	}
	return a
}

// rankingTile is a kernel whose blocks score some events and candidates.
type rankingTile struct {
	kernel                      string
	events, candidates, threads int
	matrices                    int // with a row for each node
}

var (
	largeTile  = rankingTile{"all_scores", 128, 128, 256, 1}
	smallTile  = rankingTile{"few_scores", 32, 128, 128, 1}
	movingTile = rankingTile{"moving_scores", 32, 64, 128, 2}
)

// size covers all pairs. The shared memory is as in ranking.cu: two slices,
// the addresses of rows, and counts.
func (t *rankingTile) size(a *question) driver.Launch {
	const depth, pad, addressBytes = 16, 4, 8
	slice := depth * (t.events + pad + t.matrices*(t.candidates+pad) + 1)
	addresses := t.events + t.matrices*t.candidates
	return driver.Launch{
		Blocks:  [2]int{(a.candidates + t.candidates - 1) / t.candidates, (a.events + t.events - 1) / t.events},
		Threads: t.threads,
		Shared:  2*slice*wordBytes + addresses*addressBytes + t.events*wordBytes,
	}
}

// scoreAll scores all candidates. It stores the scores, or else compares them
// with truth and counts. A large tile does less beside the sums, but there must be
// some for each multiprocessor.
func (r *ranker) scoreAll(a *question, truth, scores, above, level, bad uint64) {
	const blocksEach = 4
	t := &largeTile
	if a.moving {
		t = &movingTile
	} else if l := t.size(a); l.Blocks[0]*l.Blocks[1] < blocksEach*r.device.card.Info().Multiprocessors {
		t = &smallTile
	}
	r.device.launch(t.kernel, t.size(a), a.with([]uint64{intParam(a.events), intParam(a.candidates)},
		a.nodes, truth, scores, above, level, bad))
}
