package nn

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
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

// single are the numbers in float32; those of inputs lose nothing.
func (a array) single() []float32 {
	out := make([]float32, len(a.values))
	for i, v := range a.values {
		out[i] = float32(v)
	}
	return out
}

func (a array) ints() []int32 {
	out := make([]int32, len(a.values))
	for i, v := range a.values {
		out[i] = int32(v)
	}
	return out
}

// pick are rows of a, in this order.
func (a array) pick(rows []int) array {
	out := array{shape: a.shape}
	width := len(a.values) / a.shape[0]
	for _, r := range rows {
		out.values = append(out.values, a.values[r*width:][:width]...)
	}
	return out
}

func (a array) row(i int) []float64 { return a.values[i*a.shape[1]:][:a.shape[1]] }

// transposed turns PyTorch's [out][in] into in x out; vectors stay.
func (a array) transposed() array {
	if len(a.shape) < 2 {
		return a
	}
	out := array{shape: []int{a.shape[1], a.shape[0]}, values: make([]float64, len(a.values))}
	for i := range a.shape[0] {
		for j, v := range a.row(i) {
			out.values[j*a.shape[0]+i] = v
		}
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

// fixtureParams puts parameters into a graph, by their names in the file.
func fixtureParams(g *Graph, params map[string]array) map[string]*G.Node {
	out := map[string]*G.Node{}
	for name, a := range params {
		out[name] = g.Param(name, a.transposed().single(), a.transposed().shape...)
	}
	return out
}

// fixtureRun is a program for the loss of a fixture, its gradients by the
// names of the parameters, and other values.
type fixtureRun struct {
	graph   *Graph
	program *Program
	loss    *G.Node
	grads   map[string]*G.Node
	values  map[string]*G.Node
}

func newFixtureRun(t *testing.T, g *Graph, loss *G.Node, params, values map[string]*G.Node) *fixtureRun {
	t.Helper()
	f := &fixtureRun{graph: g, loss: loss, grads: map[string]*G.Node{}, values: values}
	var wrt G.Nodes
	var names []string
	for name, n := range params {
		wrt, names = append(wrt, n), append(names, name)
	}
	outputs := Gradients(loss, wrt...)
	for i, name := range names {
		f.grads[name] = outputs[i]
	}
	outputs = append(outputs, loss)
	for _, n := range values {
		outputs = append(outputs, n)
	}
	f.program = g.Compile(ForTraining, outputs...)
	return f
}

// check runs the program and compares.
func (f *fixtureRun) check(t *testing.T, loss array, grads, values map[string]array) {
	t.Helper()
	if len(grads) == 0 {
		t.Fatal("the file has no gradients")
	}
	f.program.Run()
	loss.matches(t, "loss", f.graph.device, f.program.Buffer(f.loss))
	for name, want := range grads {
		want.transposed().matches(t, "gradient of "+name, f.graph.device, f.program.Buffer(f.grads[name]))
	}
	for name, want := range values {
		want.matches(t, name, f.graph.device, f.program.Buffer(f.values[name]))
	}
}

// write copies numbers to a buffer, without rounding where it can.
func write(d kernels.Device, b kernels.Buffer, values []float64) {
	if exact, ok := d.(reference.Device); ok {
		copy(exact.Exact(b), values)
		return
	}
	d.Write(b, array{values: values}.single())
}

// matches compares with the tolerances of the fixtures: 1e-10 on the
// reference device, which computes in float64, else that of float32.
func (a array) matches(t *testing.T, what string, d kernels.Device, b kernels.Buffer) {
	t.Helper()
	if len(a.values) == 0 {
		t.Fatalf("%s: the file has no numbers", what)
	}
	absolute, relative, largest := 2e-6, 2e-5, 0.0
	got := make([]float64, len(a.values))
	if exact, ok := d.(reference.Device); ok {
		absolute, relative = 1e-10, 1e-10
		copy(got, exact.Exact(b))
	} else {
		for i, v := range download(d, b, len(got)) {
			got[i] = float64(v)
		}
	}
	for _, v := range a.values {
		largest = max(largest, math.Abs(v))
	}
	for i, want := range a.values {
		if !(math.Abs(got[i]-want) <= absolute+relative*largest) {
			t.Errorf("%s: entry %d is %v, expected %v", what, i, got[i], want)
		}
	}
}
