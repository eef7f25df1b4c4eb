package nn

import (
	"math"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/devicetest"

	G "gorgonia.org/gorgonia"
)

// TestRepeatedRunsAreRuns: batches of sizes that come and go have the losses
// and gradients, bit for bit, that the program gives by itself.
func TestRepeatedRunsAreRuns(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		cfg := MLPConfig{Hidden: []int{5}}
		p, plain := newProblem(t, d, 3, 9, cfg, 9), newProblem(t, d, 3, 9, cfg, 9)
		for i, rows := range []int{9, 9, 4, 9, 4, 4, 1, 2, 3, 9, 9, 5, 9} {
			p.rows, plain.rows = rows, rows
			for j := range p.x {
				p.x[j] += float32(i) / 8
				plain.x[j] = p.x[j]
			}
			plain.mlp.Training().repeated.device = nil
			loss, gradients := p.gradient()
			wantLoss, want := plain.gradient()
			if loss != wantLoss {
				t.Fatalf("run %d: loss %v, expected %v", i, loss, wantLoss)
			}
			for k := range want {
				if !slices.Equal(gradients[k], want[k]) {
					t.Fatalf("run %d: gradient %d is %v, expected %v", i, k, gradients[k], want[k])
				}
			}
		}
	})
}

// TestRepeatedCalls: calls have other sizes if any of their programs has.
func TestRepeatedCalls(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		again := &devicetest.Repeating{Device: d}
		g, one, other := NewGraph(again), NewRows(3), NewRows(3)
		double := func(name string, rows *Rows) (in, out kernels.Buffer, p *Program) {
			x := g.Input(name, rows, 1)
			y := Linear(x, g.Param(name+".w", []float32{2}, 1, 1))
			p = g.Compile(ForTraining, G.Nodes{y}...)
			return g.Buffer(x), p.Buffer(y), p
		}
		x, _, first := double("x", one)
		y, doubled, second := double("y", other)
		r := g.RepeatedCalls(func() {
			first.Run()
			second.Run()
		}, first, second)
		for i, rows := range []int{1, 1, 3, 3, 2, 2, 3} {
			n := float32(i)
			other.Set(rows)
			again.Write(x, []float32{n, n, n})
			again.Write(y, []float32{n, n, n})
			r.Run()
			if got := download(d, doubled, rows); got[rows-1] != 2*n {
				t.Errorf("run %d: %v, expected %v", i, got, 2*n)
			}
		}
		if again.Prepared != 3 {
			t.Errorf("%d sizes were prepared, expected 3", again.Prepared)
		}
	})
}

// TestBadInput: what the device has been shown before a run is told apart
// from its gradients.
func TestBadInput(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		p := newProblem(t, d, 5, 9, MLPConfig{Hidden: []int{7}}, 8)
		good, bad := upload(d, []float32{1}), upload(d, []float32{float32(math.NaN())})
		for _, c := range []struct {
			shown  []kernels.Buffer
			weight float32
			input  bool
			fault  string
		}{
			{nil, 1, false, ""},
			{[]kernels.Buffer{good, good}, 1, false, ""},
			{[]kernels.Buffer{good, bad}, 1, true, ""},
			{[]kernels.Buffer{bad, good}, float32(math.Inf(1)), true, ""},
			{[]kernels.Buffer{good, good}, float32(math.Inf(1)), false, "gradient of W1 is not within ±1e+18"},
		} {
			for _, b := range c.shown {
				d.CheckFinite(1, b)
			}
			p.w[3] = c.weight
			p.gradient()
			if tr := p.mlp.Training(); tr.BadInput() != c.input || tr.Fault() != c.fault {
				t.Errorf("%d shown, weight %v: bad input %t, fault %q, expected %t, %q",
					len(c.shown), c.weight, tr.BadInput(), tr.Fault(), c.input, c.fault)
			}
		}
	})
}
