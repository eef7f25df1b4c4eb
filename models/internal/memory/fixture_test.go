package memory_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/kernels/reference"
	"dgsbench/models"
)

// array is a number or nested lists of numbers of a fixture, computed with
// PyTorch in float64.
type array struct {
	shape  []int
	values []float64
}

func (a *array) UnmarshalJSON(raw []byte) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	for inner := v; ; {
		list, ok := inner.([]any)
		if !ok {
			break
		}
		a.shape = append(a.shape, len(list))
		if len(list) == 0 {
			break
		}
		inner = list[0]
	}
	a.flatten(v)
	return nil
}

func (a *array) flatten(v any) {
	switch v := v.(type) {
	case float64:
		a.values = append(a.values, v)
	case []any:
		for _, inner := range v {
			a.flatten(inner)
		}
	}
}

// transposed turns PyTorch's [out][in] into in x out; vectors stay.
func (a array) transposed() array {
	if len(a.shape) < 2 {
		return a
	}
	rows, cols := a.shape[0], a.shape[1]
	out := array{shape: []int{cols, rows}, values: make([]float64, len(a.values))}
	for i := range rows {
		for j := range cols {
			out.values[j*rows+i] = a.values[i*cols+j]
		}
	}
	return out
}

func (a array) single() []float32 {
	out := make([]float32, len(a.values))
	for i, v := range a.values {
		out[i] = float32(v)
	}
	return out
}

func readFixture(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// events of a fixture.
type events struct {
	Src, Dst, Neg []int32
	Label         []int8
	T             []float64
	Msg           array
}

// stream makes a batch of them, the first one being event number first.
func (e events) stream(nodes, users, first int) datasets.Stream {
	labels := e.Label
	if labels == nil {
		labels = make([]int8, len(e.Src))
	}
	return datasets.Stream{
		Src: e.Src, Dst: e.Dst, Time: e.T, Label: labels, Feat: e.Msg.single(),
		NumFeat: e.Msg.shape[1], NumNodes: nodes, Users: users,
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
func setParams(t *testing.T, m models.Model, params map[string]array) {
	t.Helper()
	var saved []models.Tensor
	for _, p := range m.Snapshot(models.Parameters).Params {
		a, ok := params[p.Name]
		if !ok || len(a.values) != len(p.F32) {
			t.Fatalf("parameter %s %v: the file has %d numbers of it", p.Name, p.Shape, len(a.values))
		}
		p.F32 = a.transposed().single()
		saved = append(saved, p)
	}
	if err := m.Restore(models.Snapshot{Params: saved}); err != nil {
		t.Fatal(err)
	}
}

// matches compares with the tolerances of the fixtures: that of float32, and
// on the reference device, which computes in float64, the given one.
func (a array) matches(t *testing.T, what string, d kernels.Device, b kernels.Buffer, exact float64) {
	t.Helper()
	if r, ok := d.(reference.Device); ok {
		a.within(t, what, r.Exact(b)[:len(a.values)], exact, exact)
		return
	}
	single, got := make([]float32, len(a.values)), make([]float64, len(a.values))
	d.Read(single, b)
	for i, v := range single {
		got[i] = float64(v)
	}
	a.within(t, what, got, 2e-6, 2e-5)
}

func (a array) within(t *testing.T, what string, got []float64, absolute, relative float64) {
	t.Helper()
	if len(a.values) == 0 || len(got) != len(a.values) {
		t.Fatalf("%s: %d numbers, the file has %d", what, len(got), len(a.values))
	}
	largest := 0.0
	for _, v := range a.values {
		largest = max(largest, math.Abs(v))
	}
	for i, want := range a.values {
		if !(math.Abs(got[i]-want) <= absolute+relative*largest) {
			t.Errorf("%s: entry %d is %v, expected %v", what, i, got[i], want)
		}
	}
}
