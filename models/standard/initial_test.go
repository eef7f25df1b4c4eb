package standard

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels/cpu"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// distribution is what a parameter was drawn as in many models.
type distribution struct {
	Min, Max, Mean, Deviation float64
	Quantiles                 []float64 // the nine deciles
}

// TestInitialValues: every parameter of every model is drawn as PyTorch draws
// it (testdata/initial.json, written by peers/initial_values.py), in range,
// moments and quantiles over many seeds.
func TestInitialValues(t *testing.T) {
	for _, f := range initialFixture(t) {
		t.Run(fmt.Sprintf("%s %s %s", f.Model, f.Task, f.Options), func(t *testing.T) {
			drawn := drawnParameters(t, f.Model, f.Options, f.Task)
			for name, want := range f.Parameters {
				if got, ok := drawn[name]; ok {
					want.check(t, name, got)
				} else {
					t.Errorf("there is no parameter %s", name)
				}
			}
			for name := range drawn {
				if _, ok := f.Parameters[name]; !ok {
					t.Errorf("PyTorch has no parameter %s", name)
				}
			}
		})
	}
}

// initialModel is what PyTorch draws for a model.
type initialModel struct {
	Model, Options string
	Task           protocol.Task
	Parameters     map[string]distribution
}

func initialFixture(t *testing.T) []initialModel {
	t.Helper()
	var f struct{ Models []initialModel }
	fixture.Read(t, "initial.json", &f)
	return f.Models
}

// drawnParameters are the initial values of models with many seeds.
func drawnParameters(t *testing.T, model, options string, task protocol.Task) map[string][]float64 {
	stream := modeltest.Random(1, 40)
	out := map[string][]float64{}
	for seed := range uint64(150) {
		m := optioned(t, cpu.NewDevice(cpu.Best(), 1), model, options, task, stream, seed)
		for _, p := range m.Snapshot(models.Parameters).Params {
			for _, v := range p.F32 {
				out[p.Name] = append(out[p.Name], float64(v))
			}
		}
	}
	return out
}

// check holds draws to the distribution. Its bounds are five standard errors
// wide, and the draws are always the same.
func (d distribution) check(t *testing.T, name string, drawn []float64) {
	t.Helper()
	slices.Sort(drawn)
	n, spread := float64(len(drawn)), d.Max-d.Min
	low, high := drawn[0], drawn[len(drawn)-1]
	if spread == 0 {
		if low != d.Min || high != d.Min {
			t.Errorf("%s is drawn from %v to %v, expected %v", name, low, high, d.Min)
		}
		return
	}
	mean, square := 0.0, 0.0
	for _, v := range drawn {
		mean += v / n
	}
	for _, v := range drawn {
		square += (v - mean) * (v - mean) / n
	}
	deviation := math.Sqrt(square)
	if math.Abs(mean-d.Mean) > 5*d.Deviation/math.Sqrt(n) {
		t.Errorf("%s has the mean %.4f, expected %.4f", name, mean, d.Mean)
	}
	if math.Abs(deviation-d.Deviation) > 5*d.Deviation/math.Sqrt(n) {
		t.Errorf("%s has the deviation %.4f, expected %.4f", name, deviation, d.Deviation)
	}
	for i, q := range d.Quantiles {
		want := float64(i+1) / float64(len(d.Quantiles)+1)
		below, _ := slices.BinarySearch(drawn, q)
		if share := float64(below) / n; math.Abs(share-want) > 5*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%s: a share of %.3f is below %v, expected %.1f", name, share, q, want)
		}
	}
	// The extremes of a uniform distribution are near its bounds; those of a
	// normal one are where its deviation says.
	if edge := d.Quantiles[0] - d.Min; edge < spread/5 {
		slack := spread * 60 / n
		if low < d.Min-spread/1000 || high > d.Max+spread/1000 || low > d.Min+slack || high < d.Max-slack {
			t.Errorf("%s is drawn from %.4f to %.4f, expected %.4f to %.4f", name, low, high, d.Min, d.Max)
		}
	}
}
