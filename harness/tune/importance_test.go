package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"dgsbench/harness/tune/tpe"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// cube draws points of the unit cube and their values.
func cube(seed uint64, n, d int, value func([]float64) float64) []sample {
	rng := rand.New(rand.NewPCG(seed, 0))
	var out []sample
	for range n {
		at := make([]float64, d)
		for i := range at {
			at[i] = rng.Float64()
		}
		out = append(out, sample{at, value(at)})
	}
	return out
}

// The shares of an additive function are those of its terms' variances: x has
// 1/12, 2x has 4/12.
func TestExplained(t *testing.T) {
	for _, c := range []struct {
		name  string
		value func(x []float64) float64
		want  []float64
	}{
		{"one of three", func(x []float64) float64 { return 3 * x[1] }, []float64{0, 1, 0}},
		{"1 to 4", func(x []float64) float64 { return x[0] + 2*x[2] }, []float64{0.2, 0, 0.8}},
		// Both together alone: the mean over either is flat.
		{"a product", func(x []float64) float64 { return math.Copysign(1, (x[0]-0.5)*(x[1]-0.5)) }, []float64{0, 0, 0}},
	} {
		got := explained(cube(1, 400, 3, c.value), 0)
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 0.08 {
				t.Errorf("%s: shares %.3f, want %v", c.name, got, c.want)
				break
			}
		}
	}
	if got := explained(cube(1, 50, 2, func([]float64) float64 { return 7 }), 0); got != nil {
		t.Errorf("of a constant: %v", got)
	}
}

// The boxes of a tree fill the cube, none has a single sample, and what its
// dimensions explain by themselves is never more than all.
func TestGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 4).Draw(t, "dimensions")
		samples := cube(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "samples"), d, func(x []float64) float64 {
			return math.Round(5 * x[0] * x[d-1])
		})
		boxes := grow(samples)
		mean, variance := moments(boxes)
		whole, alone := 0.0, 0.0
		for _, b := range boxes {
			whole += b.volume()
			inside := 0
			for _, s := range samples {
				if b.holds(s.at) {
					inside++
				}
			}
			if inside < min(2, len(samples)) {
				t.Fatalf("box %+v has %d of %d samples", b, inside, len(samples))
			}
		}
		for i := range d {
			alone += marginal(boxes, i, mean)
		}
		if math.Abs(whole-1) > 1e-9 || alone > variance+1e-9 {
			t.Fatalf("%d boxes fill %v; alone %v of %v", len(boxes), whole, alone, variance)
		}
	})
}

// holds reports whether the box covers the point; of two boxes side by side, the
// lower one has the points between them.
func (b box) holds(at []float64) bool {
	for i, x := range at {
		if x <= b.low[i] && x > 0 || x > b.high[i] {
			return false
		}
	}
	return true
}

// TestBestCut: of all cuts with two samples on either side, it leaves the least
// squared distances of the values to the means of their sides.
func TestBestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		samples := cube(rng.Uint64(), rapid.IntRange(4, 12).Draw(t, "samples"), 2, func([]float64) float64 { return rng.NormFloat64() })
		// left is what cutting there leaves, infinite where a side has one sample.
		left := func(axis int, at float64) (sum float64) {
			var sides [2][]float64
			for _, s := range samples {
				side := 0
				if s.at[axis] > at {
					side = 1
				}
				sides[side] = append(sides[side], s.value)
			}
			for _, values := range sides {
				if len(values) < 2 {
					return math.Inf(1)
				}
				sum += stat.Variance(values, nil) * float64(len(values)-1)
			}
			return sum
		}
		least := math.Inf(1)
		for axis := range 2 {
			for _, s := range samples {
				least = min(least, left(axis, s.at[axis]))
			}
		}
		axis, at, ok := bestCut(samples)
		if got := left(axis, at); !ok || got > least*(1+1e-9) {
			t.Fatalf("%v is left of %v after the cut at %v of axis %d (%v), the best leaves %v", got, samples, at, axis, ok, least)
		}
	})
}

// TestUnit: the middle of each parameter's own scale is the middle of the cube.
func TestUnit(t *testing.T) {
	space := []tpe.Param{{Low: 1e-4, High: 1e-2, Log: true}, {Low: 2, High: 4}, {Low: 1, High: 3, Step: 1}, {Choices: 3}}
	for i, x := range unit(space, tpe.Point{1e-3, 3, 2, 1}) {
		if math.Abs(x-.5) > 1e-12 {
			t.Errorf("%+v: %v", space[i], x)
		}
	}
}

// TestImportances: of a value that goes by one option, that one comes first.
// What was set and not searched is not there, and few trials say nothing.
func TestImportances(t *testing.T) {
	h := &History{Study: testStudy(t)}
	sampler := tpe.New(h.Study.space(), 0, 30)
	for trial := range 30 {
		if got := h.Importances(); (got == nil) != (trial < fewestTrials) {
			t.Errorf("%d importances after %d trials", len(got), trial)
		}
		values := h.Study.values(sampler.Ask(trial))
		value := math.Log(values["optimiser.lr"].(float64))
		h.put(Line{Trial: trial, Values: values, Value: &value})
	}
	all := h.Importances()
	if len(all) != len(h.Study.params)-1 || all[0].Parameter.Name() != "optimiser.lr" || all[0].Share < .8 {
		t.Errorf("%d of %d options, the first %+v", len(all), len(h.Study.params), all[0])
	}
	for _, i := range all {
		if i.Parameter.Option == "size" {
			t.Error("the size of states is set, and has an importance")
		}
	}
}
