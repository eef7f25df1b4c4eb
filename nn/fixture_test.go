package nn

import (
	"math"
	"testing"

	"dgsbench/internal/fixture"
	"dgsbench/kernels"
	"dgsbench/kernels/reference"

	G "gorgonia.org/gorgonia"
)

// fixtureParams puts parameters into a graph, by their names in the file.
func fixtureParams(g *Graph, params map[string]fixture.Array) map[string]*G.Node {
	out := map[string]*G.Node{}
	for name, a := range params {
		out[name] = g.Param(name, a.Transposed().Single(), a.Transposed().Shape...)
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
func (f *fixtureRun) check(t *testing.T, loss fixture.Array, grads, values map[string]fixture.Array) {
	t.Helper()
	if len(grads) == 0 {
		t.Fatal("the file has no gradients")
	}
	f.program.Run()
	matches(t, loss, "loss", f.graph.device, f.program.Buffer(f.loss))
	for name, want := range grads {
		matches(t, want.Transposed(), "gradient of "+name, f.graph.device, f.program.Buffer(f.grads[name]))
	}
	for name, want := range values {
		matches(t, want, name, f.graph.device, f.program.Buffer(f.values[name]))
	}
}

// write copies numbers to a buffer, without rounding where it can.
func write(d kernels.Device, b kernels.Buffer, values []float64) {
	if exact, ok := d.(reference.Device); ok {
		copy(exact.Exact(b), values)
		return
	}
	d.Write(b, fixture.Array{Values: values}.Single())
}

// matches compares with the tolerances of the fixtures: 1e-10 on the
// reference device, which computes in float64, else that of float32.
func matches(t *testing.T, a fixture.Array, what string, d kernels.Device, b kernels.Buffer) {
	t.Helper()
	if len(a.Values) == 0 {
		t.Fatalf("%s: the file has no numbers", what)
	}
	absolute, relative, largest := 2e-6, 2e-5, 0.0
	got := make([]float64, len(a.Values))
	if exact, ok := d.(reference.Device); ok {
		absolute, relative = 1e-10, 1e-10
		copy(got, exact.Exact(b))
	} else {
		for i, v := range download(d, b, len(got)) {
			got[i] = float64(v)
		}
	}
	for _, v := range a.Values {
		largest = max(largest, math.Abs(v))
	}
	for i, want := range a.Values {
		if !(math.Abs(got[i]-want) <= absolute+relative*largest) {
			t.Errorf("%s: entry %d is %v, expected %v", what, i, got[i], want)
		}
	}
}
