package cpu_test

import (
	"math"
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/portable"
)

// adamFixture is testdata/adam.json: steps that PyTorch made in float64.
type adamFixture struct {
	Params tensors   `json:"params"`
	Grads  []tensors `json:"grads"`
	AdamL2 adamRun   `json:"adam_l2"`
	Adam   adamRun   `json:"adam"`
	SGD    adamRun   `json:"sgd"`
}

type tensors struct {
	A []float64   `json:"a"`
	M [][]float64 `json:"m"`
}

type adamRun struct {
	LR          float64 `json:"lr"`
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Eps         float64 `json:"eps"`
	WeightDecay float64 `json:"weight_decay"`

	After []tensors `json:"after"`
}

// flat is both tensors in one array.
func flat[T portable.Float](t tensors) []T {
	var out []T
	for _, row := range append([][]float64{t.A}, t.M...) {
		for _, v := range row {
			out = append(out, T(v))
		}
	}
	return out
}

func readAdam(t *testing.T) adamFixture {
	t.Helper()
	var f adamFixture
	fixture.Read(t, "adam.json", &f)
	return f
}

// adamStep makes step i, counted from 0.
func adamStep[T portable.Float](k *portable.Kernels[T], r adamRun, i int, p, g, mean, square []T) {
	n := float64(i + 1)
	size, root := r.LR/(1-math.Pow(r.Beta1, n)), 1/math.Sqrt(1-math.Pow(r.Beta2, n))
	k.Adam(p, g, mean, square, T(r.WeightDecay), T(r.Beta1), T(1-r.Beta1), T(r.Beta2), T(1-r.Beta2), T(size), T(root), T(r.Eps))
}

// follow checks the parameters after every step of a run.
func follow[T portable.Float](t *testing.T, f adamFixture, r adamRun, tolerance float64, update func(p, g []T, i int)) {
	t.Helper()
	p := flat[T](f.Params)
	for i, g := range f.Grads {
		update(p, flat[T](g), i)
		want := flat[float64](r.After[i])
		largest := 0.0
		for _, v := range want {
			largest = max(largest, math.Abs(v))
		}
		for j, v := range p {
			if math.Abs(float64(v)-want[j]) > tolerance*(.1+largest) {
				t.Fatalf("step %d, parameter %d: %v, PyTorch has %v", i, j, v, want[j])
			}
		}
	}
}

func TestAdamAsPyTorch(t *testing.T) {
	f := readAdam(t)
	for name, r := range map[string]adamRun{"weight decay": f.AdamL2, "plain": f.Adam} {
		t.Run(name, func(t *testing.T) {
			mean, square := make([]float64, 13), make([]float64, 13)
			follow(t, f, r, 1e-10, func(p, g []float64, i int) {
				adamStep(portable.Go[float64](), r, i, p, g, mean, square)
			})
			for _, k := range cpu.Available() {
				mean, square := make([]float32, 13), make([]float32, 13)
				follow(t, f, r, 2e-5, func(p, g []float32, i int) {
					adamStep(k.Kernels, r, i, p, g, mean, square)
				})
			}
		})
	}
}

func TestMomentumAsPyTorch(t *testing.T) {
	f := readAdam(t)
	for _, k := range cpu.Available() {
		velocity := make([]float32, 13)
		follow(t, f, f.SGD, 2e-5, func(p, g []float32, _ int) {
			k.Momentum(p, g, velocity, 0, 0, float32(f.SGD.LR))
		})
	}
	// Two steps with momentum and decay by hand: velocity 1 + .1*2, then
	// .5*1.2 + 1 + .1*1.88.
	p, velocity := []float64{2}, []float64{0}
	portable.Go[float64]().Momentum(p, []float64{1}, velocity, .1, .5, .1)
	portable.Go[float64]().Momentum(p, []float64{1}, velocity, .1, .5, .1)
	if want := 1.88 - .1*1.788; math.Abs(p[0]-want) > 1e-15 {
		t.Errorf("parameter is %v, want %v", p[0], want)
	}
}
