package tpe

import (
	"fmt"
	"slices"
	"testing"

	"dgsbench/internal/fixture"
)

// optuna is what peers/tpe_optuna.py has printed.
type optuna struct {
	Version    string `json:"optuna"`
	Trials     int
	Estimators map[string]struct {
		Observations []float64
		Bandwidths   []float64
		At           []float64
		LogDensity   []float64 `json:"log_density"`
	}
	Best map[string][]float64 // "FUNCTION/RANDOM": of each seed
}

func readOptuna(t *testing.T) (o optuna) {
	t.Helper()
	fixture.Read(t, "optuna.json", &o)
	return o
}

// best are the sorted best values of a function.
func (o optuna) best(t *testing.T, function string, random int) []float64 {
	t.Helper()
	values := slices.Sorted(slices.Values(o.Best[fmt.Sprintf("%s/%d", function, random)]))
	if len(values) < 20 {
		t.Fatalf("%s/%d: %d values", function, random, len(values))
	}
	return values
}
