//go:build gpu

package cuda

import (
	"fmt"
	"math"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
	"dgsbench/kernels/portable"
)

// ranker ranks on the card: counts come back, scores do not.
type ranker struct {
	device            *Device
	maxEvents, maxDim int

	asked, left parcel  // what the host knows of a question, and the pairs to leave out
	leftNodes   []int32 // of these pairs

	truth  kernels.Buffer // scores of the true destinations
	facts  kernels.Ints   // greater, equal and bad of each event
	scores kernels.Buffer // of Scores
}

// NewRanker serves rankings of at most so many events and dimensions.
func (d *Device) NewRanker(maxEvents, maxDim int) kernels.Ranker {
	return &ranker{
		device: d, maxEvents: maxEvents, maxDim: maxDim,
		truth: d.NewBuffer(maxEvents), facts: d.NewInts(3 * maxEvents),
	}
}

// Rank counts the negatives above and level. While the card does so, the host
// finds those that are to be left out; it waits once.
func (r *ranker) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	r.check(&q)
	if q.Events == 0 {
		return -1
	}
	a := r.ask(&q)
	row := uint64(q.Events * wordBytes)
	truth, above := at(r.truth, q.Events), list(r.facts, 3*q.Events)
	level, notFinite := above+row, above+2*row
	r.device.spread("true_scores", q.Events, a.with([]uint64{whole(q.Events)}, a.truths, truth, above, level, notFinite)...)
	r.scoreAll(&a, truth, 0, above, level, notFinite)
	if events, nodes, n := r.leftOut(&q); n > 0 {
		r.device.spread("leave_out", n, a.with([]uint64{whole(n)}, events, nodes, truth, above, level)...)
	}
	return r.collect(q.Events, greater, equal)
}

// leftOut puts the pairs on the card that are no negatives.
func (r *ranker) leftOut(q *kernels.Ranking) (events, nodes uint64, n int) {
	p := &r.left
	p.words, r.leftNodes = p.words[:0], r.leftNodes[:0]
	left := portable.Ranking[float32]{Nodes: q.Nodes, Candidates: q.Candidates, True: q.True, Without: q.Without}
	for e := range q.Events {
		left.LeftOut(e, func(v int32) {
			p.words, r.leftNodes = append(p.words, int32(e)), append(r.leftNodes, v)
		})
	}
	n = len(r.leftNodes)
	p.words = append(p.words, r.leftNodes...)
	events = p.send(r.device)
	return events, events + uint64(n*wordBytes), n
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
	if r.scores == nil || r.scores.Len() < n {
		r.scores = r.device.NewBuffer(n)
	}
	r.scoreAll(&a, 0, at(r.scores, n), 0, 0, 0)
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
	moving             bool
	terms              []uint64 // parameters that say what scores are made of
	truths             uint64   // the true destinations
	nodes              uint64   // the candidates; 0 stands for all nodes
}

// with are a kernel's parameters: some, the terms, others.
func (a *asked) with(before []uint64, after ...uint64) []uint64 {
	return append(append(before, a.terms...), after...)
}

// ask puts what the host knows of the question on the card, in one piece.
func (r *ranker) ask(q *kernels.Ranking) asked {
	p := &r.asked
	p.words = append(p.words[:0], q.True[:q.Events]...)
	p.words = append(p.words, q.Candidates...)
	if q.Slope != nil {
		p.numbers(q.EventTime[:q.Events])
		p.numbers(q.NodeTime[:q.Nodes])
	}
	first := p.send(r.device)
	place := func(words int) uint64 { return first + uint64(words*wordBytes) }

	a := asked{events: q.Events, candidates: candidates(q), moving: q.Slope != nil, truths: first}
	a.terms = []uint64{whole(q.Dim), at(q.U, q.Events*q.Dim), at(q.P, q.Nodes*q.Dim), at(q.W, q.Dim), 0, 0, 0}
	if q.Candidates != nil {
		a.nodes = place(q.Events)
	}
	if a.moving {
		times := q.Events + len(q.Candidates)
		a.terms[4], a.terms[5], a.terms[6] = at(q.Slope, q.Nodes*q.Dim), place(times), place(times+q.Events)
	}
	return a
}

// rankingTile is a kernel that scores so many events and candidates a block.
type rankingTile struct {
	kernel                      string
	events, candidates, threads int
	ofNodes                     int // matrices with a row for each node
}

var (
	largeTile  = rankingTile{"all_scores", 128, 128, 256, 1}
	smallTile  = rankingTile{"few_scores", 32, 128, 128, 1}
	movingTile = rankingTile{"moving_scores", 32, 64, 128, 2}
)

// launch covers all pairs. The shared memory is as in ranking.cu: two slices,
// the addresses of rows, and counts.
func (t *rankingTile) launch(a *asked) driver.Launch {
	const depth, pad, addressBytes = 16, 4, 8
	slice := depth * (t.events + pad + t.ofNodes*(t.candidates+pad) + 1)
	addresses := t.events + t.ofNodes*t.candidates
	return driver.Launch{
		Blocks:  [2]int{(a.candidates + t.candidates - 1) / t.candidates, (a.events + t.events - 1) / t.events},
		Threads: t.threads,
		Shared:  2*slice*wordBytes + addresses*addressBytes + t.events*wordBytes,
	}
}

// tile is the one that suits the question: a large tile does less beside the
// sums, but there must be some for each multiprocessor.
func (r *ranker) tile(a *asked) *rankingTile {
	const blocks = 4
	switch l := largeTile.launch(a); {
	case a.moving:
		return &movingTile
	case l.Blocks[0]*l.Blocks[1] < blocks*r.device.card.Info().Multiprocessors:
		return &smallTile
	default:
		return &largeTile
	}
}

// scoreAll scores all candidates. It keeps the scores, or else compares them
// with truth and counts.
func (r *ranker) scoreAll(a *asked, truth, scores, above, level, bad uint64) {
	if a.events == 0 || a.candidates == 0 {
		return
	}
	t := r.tile(a)
	r.device.launch(t.kernel, t.launch(a), a.with([]uint64{whole(a.events), whole(a.candidates)},
		a.nodes, truth, scores, above, level, bad)...)
}

// parcel are lists that go to the card in one piece.
type parcel struct {
	words  []int32
	onCard words
}

// numbers adds numbers as they are.
func (p *parcel) numbers(x []float32) {
	for _, v := range x {
		p.words = append(p.words, int32(math.Float32bits(v)))
	}
}

// send copies the parcel to the card, and says where it is.
func (p *parcel) send(d *Device) uint64 { return uint64(d.sent(&p.onCard, bytesOf(p.words))) }
