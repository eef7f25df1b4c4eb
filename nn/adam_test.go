package nn

import (
	"math"
	"slices"
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels"
)

// adamCase is one case of testdata/adam.json, computed with PyTorch in
// float64.
type adamCase struct {
	LR, Beta1, Beta2, Eps float64
	WeightDecay           float64 `json:"weight_decay"`
	After                 []adamTensors
}

type adamTensors struct {
	A []float32
	M [][]float32
}

func (a adamTensors) flat() [][]float32 {
	var m []float32
	for _, row := range a.M {
		m = append(m, row...)
	}
	return [][]float32{append([]float32(nil), a.A...), m}
}

func TestAdamMatchesPyTorch(t *testing.T) {
	var f struct {
		Params adamTensors
		Grads  []adamTensors
		AdamL2 adamCase `json:"adam_l2"`
		Adam   adamCase
	}
	fixture.Read(t, "adam.json", &f)
	for name, c := range map[string]adamCase{"adam_l2": f.AdamL2, "adam": f.Adam} {
		t.Run(name, func(t *testing.T) {
			onEveryDevice(t, func(t *testing.T, d kernels.Device) { c.check(t, d, f.Params, f.Grads) })
		})
	}
}

func (c adamCase) check(t *testing.T, d kernels.Device, start adamTensors, grads []adamTensors) {
	adam := NewAdam(d, c.LR, c.WeightDecay)
	adam.Beta1, adam.Beta2, adam.Eps = c.Beta1, c.Beta2, c.Eps
	params := start.upload(d)
	if len(grads) == 0 || len(c.After) != len(grads) {
		t.Fatalf("%d gradients, %d results", len(grads), len(c.After))
	}
	for step, g := range grads {
		adam.Step(params, g.upload(d))
		for i, want := range c.After[step].flat() {
			closeTo(t, download(d, params.Buffers[i], params.Buffers[i].Len()), want)
		}
	}
}

func (a adamTensors) upload(d kernels.Device) *Group {
	var out []kernels.Buffer
	for _, values := range a.flat() {
		out = append(out, upload(d, values))
	}
	return NewGroup(d, out...)
}

// closeTo uses the tolerance that the fixtures state for float32.
func closeTo(t *testing.T, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, expected %d", len(got), len(want))
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(float64(w)))
	}
	for i := range want {
		if !(math.Abs(float64(got[i]-want[i])) <= 2e-6+2e-5*largest) {
			t.Errorf("entry %d: %v, expected %v", i, got[i], want[i])
		}
	}
}

// TestTakenBackStepsDoNotCount: a step that the device refused leaves no trace
// in those that follow.
func TestTakenBackStepsDoNotCount(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		group := func(x float32) *Group { return NewGroup(d, upload(d, []float32{x, -x})) }
		steps := func(refused bool) []float32 {
			adam, params := NewAdam(d, .1, 0), group(1)
			adam.Step(params, group(.5))
			if refused {
				bad := group(float32(math.NaN()))
				bad.Check(d)
				adam.Step(params, bad)
				adam.Rollback()
				if d.FirstBad(make([]float32, 1), bad.Buffers[0]) < 0 {
					t.Error("the device accepts NaN")
				}
			}
			adam.Step(params, group(-3))
			return download(d, params.Buffers[0], 2)
		}
		if got, want := steps(true), steps(false); !slices.Equal(got, want) {
			t.Errorf("after a refused step: %v, expected %v", got, want)
		}
	})
}
