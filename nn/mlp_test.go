package nn

import (
	"fmt"
	"math"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/reference"
)

// problem is a small training problem.
type problem struct {
	mlp     *MLP
	rows    int
	x, y, w []float32
}

func newProblem(t testing.TB, d kernels.Device, in, capacity int, cfg MLPConfig, rows int) problem {
	t.Helper()
	m := newMLP(d, in, capacity, cfg, 3)
	p := problem{mlp: m, rows: rows, x: make([]float32, rows*in), y: make([]float32, rows), w: make([]float32, rows)}
	r := Rand(5, "test data")
	for i := range p.x {
		p.x[i] = float32(r.NormFloat64())
	}
	for k := range rows {
		p.y[k], p.w[k] = float32(k%2), float32(r.Float64())
	}
	return p
}

func (p problem) gradient() (float64, [][]float32) {
	loss := p.mlp.Gradient(p.x, p.y, p.w, p.rows)
	var grads [][]float32
	for i, b := range p.mlp.Training().Gradients.Buffers {
		grads = append(grads, download(p.mlp.device, b, p.mlp.params[i].Buffer.Len()))
	}
	return float64(loss), grads
}

// values copies the parameters.
func (n *Network) values() (out [][]float32) {
	for _, p := range n.params {
		out = append(out, read(n.device, p.Buffer))
	}
	return out
}

// plain computes the logits with loops, in float64.
func (p problem) plain() []float64 {
	out := make([]float64, p.rows)
	params, values := p.mlp.Params(), p.mlp.values()
	for k := range out {
		in := make([]float64, p.mlp.layers[0].in)
		for i := range in {
			in[i] = float64(p.x[k*len(in)+i])
		}
		for l := 0; l < len(params); l += 2 {
			next := make([]float64, params[l].Shape[1])
			for j := range next {
				next[j] = float64(values[l+1][j])
				for i, v := range in {
					next[j] += v * float64(values[l][i*len(next)+j])
				}
				if l+2 < len(params) {
					next[j] = max(next[j], 0)
				}
			}
			in = next
		}
		out[k] = in[0]
	}
	return out
}

// plainLoss is the weighted cross-entropy of plain.
func (p problem) plainLoss() float64 {
	sum := 0.0
	for k, z := range p.plain() {
		q := 1 / (1 + math.Exp(-z))
		sum -= float64(p.w[k]) * (float64(p.y[k])*math.Log(q) + float64(1-p.y[k])*math.Log(1-q))
	}
	return sum
}

func TestForwardMatchesLoops(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		for _, hidden := range [][]int{{7}, {7, 6}, {5, 4, 3}} {
			p := newProblem(t, d, 5, 9, MLPConfig{Hidden: hidden, Dropout: .5}, 8)
			got := make([]float32, p.rows)
			p.mlp.Forward(p.x, p.rows, got)
			for k, want := range p.plain() {
				if math.Abs(float64(got[k])-want) > 1e-5 {
					t.Errorf("hidden %v, row %d: logit %v, expected %v", hidden, k, got[k], want)
				}
			}
		}
	})
}

func TestLossMatchesLoops(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		p := newProblem(t, d, 5, 9, MLPConfig{Hidden: []int{7}}, 8)
		if got, _ := p.gradient(); math.Abs(got-p.plainLoss()) > 1e-5 {
			t.Errorf("loss %v, expected %v", got, p.plainLoss())
		}
	})
}

// TestGradientMatchesDifferences: central differences in float64, through
// the program itself on the reference device; the processor's gradients are
// compared with its.
func TestGradientMatchesDifferences(t *testing.T) {
	cfg := MLPConfig{Hidden: []int{7, 6}}
	d := reference.New()
	p := newProblem(t, d, 5, 9, cfg, 8)
	_, exact := p.gradient()
	loss := func() float64 {
		p.gradient()
		return d.Exact(p.mlp.Training().loss)[0]
	}
	const step = 1e-6
	for i, param := range p.mlp.params {
		values := d.Exact(param.Buffer)
		for j, old := range values {
			values[j] = old + step
			up := loss()
			values[j] = old - step
			down := loss()
			values[j] = old
			want := (up - down) / (2 * step)
			if math.Abs(want-float64(exact[i][j])) > 1e-7 {
				t.Errorf("%s[%d]: gradient %v, differences %v", param.Name, j, exact[i][j], want)
			}
		}
	}
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		_, got := newProblem(t, d, 5, 9, cfg, 8).gradient()
		for i := range exact {
			closeTo(t, got[i], exact[i])
		}
	})
}

// TestLevelsAgree: AVX2 and AVX-512 give the same bits, step after step.
func TestLevelsAgree(t *testing.T) {
	var want [][]float32
	for _, k := range cpu.Available() {
		if k.Level() == cpu.Portable {
			continue
		}
		d := cpu.NewDevice(k, 2)
		p := newProblem(t, d, 37, 60, MLPConfig{Hidden: []int{53, 19}, Dropout: .2}, 41)
		adam := NewAdam(d, 1e-2, 1e-3)
		for range 20 {
			p.gradient()
			adam.Step(p.mlp.Training().Params, p.mlp.Training().Gradients)
		}
		got := p.mlp.values()
		for i := range want {
			for j := range want[i] {
				if math.Float32bits(got[i][j]) != math.Float32bits(want[i][j]) {
					t.Fatalf("%s: tensor %d[%d] is %v, and %v on narrower vectors", k.Level(), i, j, got[i][j], want[i][j])
				}
			}
		}
		want = got
	}
}

// TestIdleRowsDoNotCount: a short batch after a long one gives what a fresh
// network gives.
func TestIdleRowsDoNotCount(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		cfg := MLPConfig{Hidden: []int{4}}
		used, fresh := newProblem(t, d, 3, 10, cfg, 10), newProblem(t, d, 3, 10, cfg, 10)
		used.gradient()
		used.rows, fresh.rows = 4, 4
		a, ga := used.gradient()
		b, gb := fresh.gradient()
		if a != b {
			t.Errorf("loss %v after a longer batch, %v without", a, b)
		}
		for i := range ga {
			for j := range ga[i] {
				if ga[i][j] != gb[i][j] {
					t.Errorf("tensor %d[%d]: %v after a longer batch, %v without", i, j, ga[i][j], gb[i][j])
				}
			}
		}
	})
}

// TestBadGradient: an infinite input reaches the gradient of the first layer
// and is named, and so is one of which the optimiser could not take the square.
func TestBadGradient(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		p := newProblem(t, d, 5, 9, MLPConfig{Hidden: []int{7}}, 8)
		p.gradient()
		if fault := p.mlp.Training().Fault(); fault != "" {
			t.Errorf("a fault: %s", fault)
		}
		for _, weight := range []float32{float32(math.Inf(1)), 1e30} {
			p.w[3] = weight
			p.gradient()
			if fault := p.mlp.Training().Fault(); fault != "gradient of W1 is not within ±1e+18" {
				t.Errorf("weight %v: fault %q, expected the gradient of W1", weight, fault)
			}
		}
	})
}

// TestBadParameter: a parameter is named that is too large for weight decay, even
// if loss and gradients are good.
func TestBadParameter(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		p := newProblem(t, d, 5, 9, MLPConfig{Hidden: []int{7}}, 8)
		d.Write(p.mlp.params[1].Buffer, []float32{-2 * kernels.MaxMagnitude}) // of a unit that stays zero
		p.gradient()
		if fault := p.mlp.Training().Fault(); fault != "b1 is not within ±1e+18" {
			t.Errorf("fault %q, expected b1", fault)
		}
	})
}

// TestStepsAllocateNothing: training steps and inference.
func TestStepsAllocateNothing(t *testing.T) {
	d := cpu.NewDevice(cpu.Best(), 2)
	p := newProblem(t, d, 20, 50, MLPConfig{Hidden: []int{30}, Dropout: .1}, 40)
	adam, params, logits := NewAdam(d, 1e-3, 0), p.mlp.Training().Params, make([]float32, 40)
	step := func() {
		p.mlp.Gradient(p.x, p.y, p.w, p.rows)
		adam.Step(params, p.mlp.Training().Gradients)
		p.mlp.Training().Fault()
		p.mlp.Forward(p.x, p.rows, logits)
	}
	step()
	if n := leastAllocations(step); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// BenchmarkStep is a whole training step, dropout and Adam included.
func BenchmarkStep(b *testing.B) {
	for _, in := range []int{4, 40, 344} {
		for _, threads := range []int{1, 2} {
			for _, k := range cpu.Available() {
				b.Run(fmt.Sprintf("200x%d-100-1/threads=%d/%s", in, threads, k.Level()), func(b *testing.B) { benchmarkStep(b, cpu.NewDevice(k, threads), in) })
			}
		}
	}
}

func benchmarkStep(b *testing.B, d kernels.Device, in int) {
	p := newProblem(b, d, in, 200, MLPConfig{Hidden: []int{100}, Dropout: .1}, 200)
	adam, params := NewAdam(d, 1e-3, 0), p.mlp.Training().Params
	for b.Loop() {
		p.mlp.Gradient(p.x, p.y, p.w, p.rows)
		adam.Step(params, p.mlp.Training().Gradients)
	}
}

// newMLP is a perceptron on rows of given numbers.
func newMLP(d kernels.Device, in, capacity int, cfg MLPConfig, seed uint64) *MLP {
	n, rows := NewNetwork(d, seed), NewRows(capacity)
	return n.Classifier(n.Input("x", rows, in), rows, cfg, Wanted{})
}

// Forward writes the logits of x (rows x In).
func (m *MLP) Forward(x []float32, rows int, logits []float32) {
	m.device.Write(m.Leaf(), x[:rows*m.layers[0].in])
	m.Infer(rows, logits)
}

// Gradient computes the loss on x (rows x In), and the gradients.
func (m *MLP) Gradient(x, targets, weights []float32, rows int) (loss float32) {
	m.device.Write(m.Leaf(), x[:rows*m.layers[0].in])
	m.Activate(rows)
	m.device.Write(m.targets, targets[:rows])
	m.device.Write(m.weights, weights[:rows])
	return m.Training().Run()
}

// read copies a buffer.
func read(d kernels.Device, b kernels.Buffer) []float32 {
	out := make([]float32, b.Len())
	d.Read(out, b)
	return out
}
