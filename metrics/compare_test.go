package metrics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"dgsbench/metrics"
)

// Two samples for Welch's test. The values below are from integrating the
// density of Student's t numerically, t = -1.45244 with 8.6321 degrees of freedom.
var (
	welchA = []float64{27.5, 21, 19, 23.6, 17}
	welchB = []float64{27.1, 22, 20.8, 23.4, 32, 26}
)

func constant(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// Where all draws of events give the same difference, the seeds decide
// alone: Welch's test.
func TestCompareOfSeedsAloneIsWelchsTest(t *testing.T) {
	a := metrics.Estimate{Seeds: welchA, Draws: constant(50, 21.62)}
	b := metrics.Estimate{Seeds: welchB, Draws: constant(50, 25.2167)}
	got := metrics.Compare(a, b)
	for _, c := range []struct {
		what            string
		got, want, near float64
	}{
		{"mean", got.Mean, -3.59667, 1e-5},
		{"p", got.P, 0.181739, 1e-5},
		{"low", got.Low, -9.23503, 1e-4},
		{"high", got.High, 2.04170, 1e-4},
	} {
		if !(math.Abs(c.got-c.want) <= c.near) {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// Where nothing depends on seeds, the draws decide alone: the share of draws
// below zero is half the p-value.
func TestCompareOfExactModelsGoesByTheDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	a := metrics.Estimate{Seeds: []float64{0.8}, Exact: true}
	b := metrics.Estimate{Seeds: []float64{0.78}, Exact: true}
	below := 0.0
	const draws = 20_000
	for range draws {
		shared := rng.NormFloat64() // what both models meet in the draw
		a.Draws = append(a.Draws, 0.80+0.1*shared+0.01*rng.NormFloat64())
		b.Draws = append(b.Draws, 0.78+0.1*shared)
		if a.Draws[len(a.Draws)-1] < b.Draws[len(b.Draws)-1] {
			below++
		}
	}
	got := metrics.Compare(a, b)
	if want := 2 * below / draws; math.Abs(got.P-want) > 0.006 {
		t.Errorf("p = %.4f, twice the share of draws below zero is %.4f", got.P, want)
	}
	if math.Abs(got.Low-(0.02-1.96*0.01)) > 5e-4 || math.Abs(got.High-(0.02+1.96*0.01)) > 5e-4 {
		t.Errorf("interval %v .. %v, want 0.0004 .. 0.0396", got.Low, got.High)
	}
}

func estimate(t *rapid.T, name string) metrics.Estimate {
	value := rapid.Custom(func(t *rapid.T) float64 {
		if n := rapid.IntRange(-1, 20).Draw(t, "twentieths"); n >= 0 {
			return float64(n) / 20
		}
		return math.NaN()
	})
	fraction := rapid.Float64Range(0, 1)
	return metrics.Estimate{
		Seeds: rapid.SliceOfN(fraction, 1, 10).Draw(t, name+" seeds"),
		Draws: rapid.SliceOfN(value, 30, 30).Draw(t, name+" draws"),
		Exact: rapid.Bool().Draw(t, name+" exact"),
	}
}

func TestCompareProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := estimate(t, "a"), estimate(t, "b")
		got, back := metrics.Compare(a, b), metrics.Compare(b, a)
		near := func(x, y float64) bool { return same(x, y) || math.Abs(x-y) < 1e-9 } // quantiles are found step by step
		if !same(got.Mean, -back.Mean) || !near(got.Low, -back.High) || !near(got.P, back.P) {
			t.Fatalf("%+v one way, %+v the other", got, back)
		}
		alone := func(e metrics.Estimate) bool { return len(e.Seeds) == 1 && !e.Exact }
		if alone(a) || alone(b) {
			if !math.IsNaN(got.P) || !math.IsNaN(got.Low) {
				t.Fatalf("a single seed is judged: %+v", got)
			}
			return
		}
		if math.IsNaN(got.P) {
			return // hardly any draw was defined
		}
		if got.P < 0 || got.P > 1 || got.Low > got.Mean || got.High < got.Mean {
			t.Fatalf("%+v", got)
		}
		if excludesZero := got.Low > 0 || got.High < 0; math.Abs(got.P-0.05) > 1e-6 && excludesZero != (got.P < 0.05) {
			t.Fatalf("interval and p-value disagree: %+v", got)
		}
		if self := metrics.Compare(a, a); self.Mean != 0 || self.P != 1 {
			t.Fatalf("a model and itself: %+v", self)
		}
	})
}

// simulated is a model of which an event's value depends on the event, on
// the seed and on chance.
func simulated(rng *rand.Rand, events []float64, seeds int, spread float64) (metrics.Estimate, []metrics.Weighted) {
	var e metrics.Estimate
	var of []metrics.Weighted
	for range seeds {
		luck := spread * rng.NormFloat64()
		values := make([]float64, len(events))
		for k := range events {
			values[k] = events[k] + luck + 0.2*rng.NormFloat64()
		}
		of = append(of, func(weights []uint8) float64 {
			sum := 0.0
			for k, w := range weights {
				sum += float64(w) * values[k]
			}
			return sum / float64(len(values))
		})
		e.Seeds = append(e.Seeds, stat.Mean(values, nil))
	}
	return e, of
}

// Two equally good models are found different as rarely as the level says,
// however few their seeds; by the events alone, one time in three.
func TestCompareHoldsItsLevel(t *testing.T) {
	const rounds, numEvents = 300, 60
	for _, c := range []struct{ seedsA, seedsB int }{{3, 3}, {10, 3}, {10, 10}} {
		rng := rand.New(rand.NewPCG(7, uint64(c.seedsA+c.seedsB)))
		alarms, byEventsAlone := 0, 0
		for range rounds {
			events := make([]float64, numEvents)
			for k := range events {
				events[k] = rng.NormFloat64()
			}
			a, ofA := simulated(rng, events, c.seedsA, 0.05)
			b, ofB := simulated(rng, events, c.seedsB, 0.05)
			draws := metrics.Bootstrap(numEvents, [][]metrics.Weighted{ofA, ofB}, nil)
			a.Draws, b.Draws = draws[0], draws[1]
			if metrics.Compare(a, b).P < 0.05 {
				alarms++
			}
			a.Exact, b.Exact = true, true
			if metrics.Compare(a, b).P < 0.05 {
				byEventsAlone++
			}
		}
		share, alone := float64(alarms)/rounds, float64(byEventsAlone)/rounds
		t.Logf("%d and %d seeds: %.3f alarms, by the events alone %.3f", c.seedsA, c.seedsB, share, alone)
		if share > 0.05+3*math.Sqrt(.05*.95/rounds) || alone < 0.3 {
			t.Errorf("%d and %d seeds: %.3f of equal models found different, by the events alone %.3f", c.seedsA, c.seedsB, share, alone)
		}
	}
}
