package devicetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"
)

// question is a ranking before there are buffers.
type question struct {
	kernels.Ranking
	u, p, w, slope []float32
}

// newQuestion draws one; some rows of p are equal, so that scores tie.
func newQuestion(rng *rand.Rand, events, nodes, dim int, moving, listed bool, draw func() float32) *question {
	some := func(n int) []float32 { return draws(n, draw) }
	q := &question{Ranking: kernels.Ranking{Events: events, Nodes: nodes, Dim: dim}, u: some(events * dim), p: some(nodes * dim), w: some(dim)}
	if moving {
		q.slope, q.EventTime, q.NodeTime = some(nodes*dim), some(events), some(nodes)
	}
	for v := 3; v < nodes; v += 3 {
		copy(q.p[v*dim:][:dim], q.p[:dim])
	}
	share := 1.
	if listed {
		share = .7
	}
	q.Candidates = subset(rng, nodes, share)
	for range events {
		q.True = append(q.True, rng.Int32N(int32(nodes)))
		if listed {
			q.Without = append(q.Without, subset(rng, nodes, .05))
		}
	}
	return q
}

// subset are some of the nodes, ascending.
func subset(rng *rand.Rand, nodes int, share float64) []int32 {
	out := []int32{}
	for v := range nodes {
		if rng.Float64() < share {
			out = append(out, int32(v))
		}
	}
	return out
}

// on is the question with buffers of the device.
func (q *question) on(d kernels.Device) kernels.Ranking {
	r := q.Ranking
	r.U, r.P, r.W = upload(d, q.u...), upload(d, q.p...), upload(d, q.w...)
	if q.slope != nil {
		r.Slope = upload(d, q.slope...)
	}
	return r
}

// facts are the counts of a question.
func (q *question) facts(d kernels.Device) (bad int, greater, equal []int32) {
	greater, equal = make([]int32, q.Events), make([]int32, q.Events)
	bad = d.NewRanker(q.Events+3, q.Dim+2).Rank(q.on(d), greater, equal)
	return bad, greater, equal
}

// whole are numbers whose scores are exact and often equal.
func whole(rng *rand.Rand) func() float32 { return func() float32 { return float32(rng.IntN(5) - 2) } }

// compare compares the counts with the reference's, and the first event with a
// bad score.
func (q *question) compare(t *testing.T, d kernels.Device) {
	t.Helper()
	wantBad, wantGreater, wantEqual := q.facts(reference.New())
	bad, greater, equal := q.facts(d)
	asked := fmt.Sprintf("%s, %d events, %d nodes, dimension %d, moving %t, listed %t", d.Name(), q.Events, q.Nodes, q.Dim, q.slope != nil, q.Without != nil)
	if bad != wantBad {
		t.Fatalf("%s: the first bad event is %d, expected %d", asked, bad, wantBad)
	}
	if bad < 0 && !(slices.Equal(greater, wantGreater) && slices.Equal(equal, wantEqual)) {
		t.Fatalf("%s: counts differ from the reference's", asked)
	}
}

// rankingSizes are events, nodes and dimensions, around those of tiles.
var rankingSizes = [][3]int{{0, 5, 3}, {1, 1, 0}, {3, 40, 1}, {33, 31, 32}, {40, 70, 33}, {64, 65, 100}}

// checkRanker: whole numbers.
func checkRanker(t *testing.T, d kernels.Device) {
	for _, s := range rankingSizes {
		for _, moving := range []bool{false, true} {
			for _, listed := range []bool{false, true} {
				rng := rand.New(rand.NewPCG(uint64(s[0]), uint64(s[2])))
				newQuestion(rng, s[0], s[1], s[2], moving, listed, whole(rng)).compare(t, d)
			}
		}
	}
}

// checkScores: scores are those of the reference to within rounding, and Rank
// counts by them.
func checkScores(t *testing.T, tolerance float64, devices []kernels.Device) {
	for _, moving := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(5, 6))
		q := newQuestion(rng, 37, 45, 50, moving, false, func() float32 { return float32(rng.NormFloat64()) })
		scores := func(d kernels.Device) []float32 {
			out := make([]float32, q.Events*len(q.Candidates))
			d.NewRanker(q.Events, q.Dim).Scores(q.on(d), out)
			return out
		}
		want := scores(reference.New())
		first := scores(devices[0])
		for _, d := range devices {
			got := scores(d)
			sameBits(t, q.Events, got, first)
			closeTo(t, q.Events, got, want, 8*tolerance)
			_, greater, equal := q.facts(d)
			for e, truth := range q.True {
				above, level := int32(0), int32(-1) // the true destination
				row := got[e*q.Nodes:][:q.Nodes]
				for _, score := range row {
					if score > row[truth] {
						above++
					} else if score == row[truth] {
						level++
					}
				}
				if greater[e] != above || equal[e] != level {
					t.Errorf("%s: event %d counts %d and %d, its scores say %d and %d", d.Name(), e, greater[e], equal[e], above, level)
				}
			}
		}
	}
}

// checkBadScores: the first event with a score that is not finite.
func checkBadScores(t *testing.T, d kernels.Device) {
	const events, nodes, dim, event, node = 40, 60, 9, 21, 30
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		spoil func(q *question)
		want  int
	}{
		"nothing":                            {func(*question) {}, -1},
		"NaN candidate":                      {func(q *question) { q.p[node*dim] = nan }, 0},
		"infinity that the ReLU takes away":  {func(q *question) { q.p[node*dim] = -inf }, -1},
		"NaN event":                          {func(q *question) { q.u[event*dim+4] = nan }, event},
		"two events":                         {func(q *question) { q.u[event*dim], q.u[(event+9)*dim] = inf, nan }, event},
		"NaN node that is no candidate":      {func(q *question) { q.p[node*dim], q.Candidates = nan, []int32{1, 2, 50} }, -1},
		"NaN true destination, no candidate": {func(q *question) { q.p[node*dim], q.True[event], q.Candidates = nan, node, []int32{1, 2, 50} }, event},
		"NaN destination that is left out once": {func(q *question) {
			q.p[node*dim], q.Without = nan, make([][]int32, events)
			q.Without[0] = []int32{node}
		}, 0},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		q := newQuestion(rng, events, nodes, dim, false, false, func() float32 { return .1 + rng.Float32() })
		for e := range q.True {
			q.True[e] = 0
		}
		c.spoil(q)
		if bad, _, _ := q.facts(d); bad != c.want {
			t.Errorf("%s, %s: event %d, expected %d", d.Name(), name, bad, c.want)
		}
	}
}

// Sizes around those of the tiles that devices divide rankings into.
var (
	borderRows = []int{1, 2, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 160, 513}
	borderDims = []int{0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 36}
)

// checkRankerBorders: counts are those of the reference, and so is the first
// event with a bad score, wherever in a tile numbers stand that are not
// finite. All other numbers are whole, so scores are exact and often equal.
func checkRankerBorders(t *testing.T, devices []kernels.Device) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 7))
		drawBorders(rng).compare(t, devices[rng.IntN(len(devices))])
	}
}

func drawBorders(rng *rand.Rand) *question {
	of := func(sizes []int) int { return sizes[rng.IntN(len(sizes))] }
	moving, listed := rng.IntN(2) == 0, rng.IntN(2) == 0
	q := newQuestion(rng, of(borderRows), of(borderRows), of(borderDims), moving, listed, whole(rng))
	infinity := float32(math.Inf(1))
	odd := []float32{float32(math.NaN()), infinity, -infinity}
	for _, x := range [][]float32{q.u, q.p, q.slope} {
		if len(x) > 0 && rng.IntN(4) == 0 {
			x[rng.IntN(len(x))] = odd[rng.IntN(len(odd))]
		}
	}
	return q
}
