package devicetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"
)

// Sizes around those of the tiles that devices divide rankings into.
var (
	borderRows = []int{1, 2, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 160, 513}
	borderDims = []int{0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 36}
)

// checkRankerBorders: counts are those of the reference, and so is the first
// event with a bad score, wherever in a tile numbers stand that are not
// finite. All other numbers are whole, so scores are exact and often equal.
func checkRankerBorders(t *testing.T, devices []kernels.Device) {
	const questions = 100
	for seed := range uint64(questions) {
		rng := rand.New(rand.NewPCG(seed, 7))
		q := drawBorders(rng)
		wantBad, wantGreater, wantEqual := q.facts(reference.New())
		d := devices[rng.IntN(len(devices))]
		bad, greater, equal := q.facts(d)
		if bad != wantBad {
			t.Fatalf("%s, question %d: the first bad event is %d, expected %d", d.Name(), seed, bad, wantBad)
		}
		if bad < 0 && !(slices.Equal(greater, wantGreater) && slices.Equal(equal, wantEqual)) {
			t.Fatalf("%s, question %d of %d events, %d nodes, dimension %d: counts differ from the reference's", d.Name(), seed, q.Events, q.Nodes, q.Dim)
		}
	}
}

func drawBorders(rng *rand.Rand) *question {
	of := func(sizes []int) int { return sizes[rng.IntN(len(sizes))] }
	moving, listed := rng.IntN(2) == 0, rng.IntN(2) == 0
	q := newQuestion(rng, of(borderRows), of(borderRows), of(borderDims), moving, listed, func() float32 {
		return float32(rng.IntN(5) - 2)
	})
	infinity := float32(math.Inf(1))
	odd := []float32{float32(math.NaN()), infinity, -infinity}
	for _, x := range [][]float32{q.u, q.p, q.slope} {
		if len(x) > 0 && rng.IntN(4) == 0 {
			x[rng.IntN(len(x))] = odd[rng.IntN(len(odd))]
		}
	}
	return q
}
