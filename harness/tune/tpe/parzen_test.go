package tpe

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat"
)

// The estimators are Optuna's, to rounding: bandwidths and log densities for
// linear, logarithmic, stepped and categorical parameters.
func TestDensityAsOptuna(t *testing.T) {
	params := map[string]Param{
		"linear": {Low: 0, High: 10}, "log": {Low: 1e-4, High: 1e2, Log: true}, "whole": {Low: 1, High: 8, Step: 1},
		"even": {Low: 32, High: 256, Step: 2}, "choice": {Choices: 4}, "many": {Low: 0, High: 1},
	}
	o := readOptuna(t)
	if len(o.Estimators) != len(params) {
		t.Fatalf("%d estimators, want %d", len(o.Estimators), len(params))
	}
	for name, e := range o.Estimators {
		d := params[name].density(e.Observations)
		if m, ok := d.(*mixture); ok {
			if diff := cmp.Diff(e.Bandwidths, m.wide, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("%s: bandwidths (-want +got):\n%s", name, diff)
			}
		}
		for i, at := range e.At {
			if got := math.Log(d.at(at)); math.Abs(got-e.LogDensity[i]) > 1e-7 {
				t.Errorf("%s: log density at %v is %v, want %v", name, at, got, e.LogDensity[i])
			}
		}
	}
}

// The best values after 100 trials are distributed as Optuna's: a two-sample
// Kolmogorov-Smirnov test over 100 seeds of each does not reject at 1 % in any
// of the six settings.
func TestBestValuesAsOptuna(t *testing.T) {
	o := readOptuna(t)
	for _, random := range []int{10, 70} {
		for _, f := range functions() {
			theirs := o.best(t, f.name, random)
			var ours []float64
			for seed := range uint64(len(theirs)) {
				ours = append(ours, search(f, seed, o.Trials, random))
			}
			slices.Sort(ours)
			d := stat.KolmogorovSmirnov(ours, nil, theirs, nil)
			limit := 1.628 * math.Sqrt(2/float64(len(ours)))
			t.Logf("%s, %d random trials: median ours %.4f, Optuna %.4f; KS %.3f, limit %.3f", f.name, random,
				stat.Quantile(0.5, stat.Empirical, ours, nil), stat.Quantile(0.5, stat.Empirical, theirs, nil), d, limit)
			if d > limit {
				t.Errorf("%s, %d random trials: distance %.3f, limit %.3f", f.name, random, d, limit)
			}
		}
	}
}
