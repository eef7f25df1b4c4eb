package metrics

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"
)

// NumDraws is the number of times that the events of a part are resampled.
const NumDraws = 1000

// Draw draws len(weights) events with replacement and sets weights[k] to the
// number of times that event k was drawn. A byte holds it: that one of n events is drawn
// 256 times has a probability below n 10^-500. The result depends on number and
// len(weights) alone, so that all models and seeds get the same draws.
func Draw(number int, weights []uint8) {
	clear(weights)
	events := uint64(len(weights))
	rng := rand.New(rand.NewPCG(events, uint64(number)))
	for range events {
		weights[rng.Uint64N(events)]++
	}
}

// Bootstrap evaluates cells on NumDraws draws of the given number of events.
// A cell is a metric prepared on the facts of each of its seeds; its value is
// the mean over the seeds. values[c][d] is that of cell c on draw d, so two
// rows compare two cells pair by pair. It is NaN where a draw leaves the
// metric undefined. progress, unless it is nil, is called after every draw with
// the share that is done; calls never overlap.
func Bootstrap(events int, cells [][]Weighted, progress func(share float64)) (values [][]float64) {
	values = make([][]float64, len(cells))
	for c := range cells {
		values[c] = make([]float64, NumDraws)
	}
	var next atomic.Int64
	drawn := make(chan bool, NumDraws)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			weights := make([]uint8, events)
			for d := int(next.Add(1)) - 1; d < NumDraws; d = int(next.Add(1)) - 1 {
				Draw(d, weights)
				for c, seeds := range cells {
					values[c][d] = meanOf(seeds, weights)
				}
				drawn <- true
			}
		}()
	}
	for done := range NumDraws {
		<-drawn
		if progress != nil {
			progress(float64(done+1) / NumDraws)
		}
	}
	return values
}

func meanOf(seeds []Weighted, weights []uint8) float64 {
	sum := 0.0
	for _, value := range seeds {
		sum += value(weights)
	}
	return sum / float64(len(seeds))
}

// Interval is the range from the 2.5 to the 97.5 percentile of one cell's
// values. Undefined draws are left out; without any other, both ends are NaN.
func Interval(values []float64) (low, high float64) {
	defined := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(defined) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(defined)
	return stat.Quantile(0.025, stat.LinInterp, defined, nil), stat.Quantile(0.975, stat.LinInterp, defined, nil)
}
