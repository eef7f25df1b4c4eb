package memory_test

import (
	"math"
	"testing"

	"dgsbench/datasets"
	"dgsbench/internal/fixture"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/kernels/reference"
	"dgsbench/models"
)

// events of a fixture.
type events struct {
	Src, Dst, Neg []int32
	Label         []int8
	T             []float64
	Msg           fixture.Array
}

// stream makes a batch of them, the first one being event number first.
func (e events) stream(nodes, users, first int) datasets.Stream {
	labels := e.Label
	if labels == nil {
		labels = make([]int8, len(e.Src))
	}
	return datasets.Stream{
		Src: e.Src, Dst: e.Dst, Time: e.T, Label: labels, Feat: e.Msg.Single(),
		NumFeat: e.Msg.Shape[1], NumNodes: nodes, Users: users,
	}.From(first)
}

// onEveryDevice runs a test on the reference device, at all levels of the
// processor and on what accelerators there are.
func onEveryDevice(t *testing.T, test func(t *testing.T, d kernels.Device)) {
	t.Run("reference", func(t *testing.T) { test(t, reference.New()) })
	for _, k := range cpu.Available() {
		t.Run(k.Level().String(), func(t *testing.T) { test(t, cpu.NewDevice(k, 2)) })
	}
	for name, open := range devicetest.Accelerators {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// setParams gives a model the parameters of a fixture. All must be there.
func setParams(t *testing.T, m models.Model, params map[string]fixture.Array) {
	t.Helper()
	var saved []models.Tensor
	for _, p := range m.Snapshot(models.Parameters).Params {
		a, ok := params[p.Name]
		if !ok || len(a.Values) != len(p.F32) {
			t.Fatalf("parameter %s %v: the file has %d numbers of it", p.Name, p.Shape, len(a.Values))
		}
		p.F32 = a.Transposed().Single()
		saved = append(saved, p)
	}
	if err := m.Restore(models.Snapshot{Params: saved}); err != nil {
		t.Fatal(err)
	}
}

// matches compares with the tolerances of the fixtures: that of float32, and
// on the reference device, which computes in float64, the given one.
func matches(t *testing.T, a fixture.Array, what string, d kernels.Device, b kernels.Buffer, exact float64) {
	t.Helper()
	if r, ok := d.(reference.Device); ok {
		within(t, a, what, r.Exact(b)[:len(a.Values)], exact, exact)
		return
	}
	single, got := make([]float32, len(a.Values)), make([]float64, len(a.Values))
	d.Read(single, b)
	for i, v := range single {
		got[i] = float64(v)
	}
	within(t, a, what, got, 2e-6, 2e-5)
}

func within(t *testing.T, a fixture.Array, what string, got []float64, absolute, relative float64) {
	t.Helper()
	if len(a.Values) == 0 || len(got) != len(a.Values) {
		t.Fatalf("%s: %d numbers, the file has %d", what, len(got), len(a.Values))
	}
	largest := 0.0
	for _, v := range a.Values {
		largest = max(largest, math.Abs(v))
	}
	for i, want := range a.Values {
		if !(math.Abs(got[i]-want) <= absolute+relative*largest) {
			t.Errorf("%s: entry %d is %v, expected %v", what, i, got[i], want)
		}
	}
}
