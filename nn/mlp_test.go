package nn

import (
	"fmt"
	"math"
	"testing"
)

// problem is a small training problem.
type problem struct {
	mlp     *MLP
	rows    int
	x, y, w []float32
}

func newProblem(t testing.TB, cfg MLPConfig, rows int) problem {
	t.Helper()
	m, err := NewMLP(cfg, 3)
	if err != nil {
		t.Fatal(err)
	}
	p := problem{mlp: m, rows: rows, x: make([]float32, rows*cfg.In), y: make([]float32, rows), w: make([]float32, rows)}
	r := Rand(5, "test data")
	for i := range p.x {
		p.x[i] = float32(r.NormFloat64())
	}
	for k := range rows {
		p.y[k], p.w[k] = float32(k%2), float32(r.Float64())
	}
	return p
}

func (p problem) gradient(t testing.TB) (float64, [][]float32) {
	t.Helper()
	loss, grads, err := p.mlp.Gradient(p.x, p.y, p.w, p.rows)
	if err != nil {
		t.Fatal(err)
	}
	return loss, grads
}

// plain computes the logits with loops, in float64.
func (p problem) plain() []float64 {
	out := make([]float64, p.rows)
	for k := range out {
		in := make([]float64, p.mlp.cfg.In)
		for i := range in {
			in[i] = float64(p.x[k*len(in)+i])
		}
		for li, l := range p.mlp.layers {
			next := make([]float64, l.Out)
			for j := range next {
				next[j] = float64(l.B[j])
				for i, v := range in {
					next[j] += v * float64(l.W[i*l.Out+j])
				}
				if li < len(p.mlp.layers)-1 {
					next[j] = max(next[j], 0)
				}
			}
			in = next
		}
		out[k] = in[0]
	}
	return out
}

func TestForwardMatchesLoops(t *testing.T) {
	for _, hidden := range [][]int{{7}, {7, 6}, {5, 4, 3}} {
		p := newProblem(t, MLPConfig{In: 5, Hidden: hidden, Dropout: .5, MaxRows: 9}, 8)
		got := make([]float32, p.rows)
		if err := p.mlp.Forward(p.x, p.rows, got); err != nil {
			t.Fatal(err)
		}
		for k, want := range p.plain() {
			if math.Abs(float64(got[k])-want) > 1e-5 {
				t.Errorf("hidden %v, row %d: logit %v, expected %v", hidden, k, got[k], want)
			}
		}
	}
}

// plainLoss is the weighted cross-entropy with loops, in float64.
func (p problem) plainLoss() float64 {
	sum := 0.0
	for k, z := range p.plain() {
		q := 1 / (1 + math.Exp(-z))
		sum -= float64(p.w[k]) * (float64(p.y[k])*math.Log(q) + float64(1-p.y[k])*math.Log(1-q))
	}
	return sum
}

func TestLossMatchesLoops(t *testing.T) {
	p := newProblem(t, MLPConfig{In: 5, Hidden: []int{7}, MaxRows: 9}, 8)
	if got, _ := p.gradient(t); math.Abs(got-p.plainLoss()) > 1e-5 {
		t.Errorf("loss %v, expected %v", got, p.plainLoss())
	}
}

// TestGradientMatchesDifferences takes central differences of the float64
// loops, over the step that float32 parameters really make.
func TestGradientMatchesDifferences(t *testing.T) {
	p := newProblem(t, MLPConfig{In: 5, Hidden: []int{7, 6}, MaxRows: 9}, 8)
	_, grads := p.gradient(t)
	for i, tensor := range p.mlp.Params() {
		for j, old := range tensor {
			tensor[j] = old + 1e-4
			up, high := p.plainLoss(), float64(tensor[j])
			tensor[j] = old - 1e-4
			down, low := p.plainLoss(), float64(tensor[j])
			tensor[j] = old
			want := (up - down) / (high - low)
			if math.Abs(want-float64(grads[i][j])) > 1e-5 {
				t.Errorf("tensor %d[%d]: gradient %v, differences %v", i, j, grads[i][j], want)
			}
		}
	}
}

// TestIdleRowsDoNotCount: a short batch after a long one gives what a fresh
// network gives.
func TestIdleRowsDoNotCount(t *testing.T) {
	cfg := MLPConfig{In: 3, Hidden: []int{4}, MaxRows: 10}
	used, fresh := newProblem(t, cfg, 10), newProblem(t, cfg, 10)
	used.gradient(t)
	used.rows, fresh.rows = 4, 4
	a, ga := used.gradient(t)
	b, gb := fresh.gradient(t)
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
}

// TestDropoutMasks: the dropped share is right, what is kept is scaled up,
// and two layers of one size have masks of their own.
func TestDropoutMasks(t *testing.T) {
	const width, rows, p = 50, 100, .3
	m, err := NewMLP(MLPConfig{In: 2, Hidden: []int{width, width}, Dropout: p, MaxRows: rows}, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.train.draw(m.dropout, p)
	equal := 0
	for i, mask := range m.train.masks {
		zero := 0
		for j, v := range mask {
			switch v {
			case 0:
				zero++
			case float32(1 / (1 - p)):
			default:
				t.Fatalf("mask %d[%d] is %v", i, j, v)
			}
			if m.train.masks[0][j] == m.train.masks[1][j] {
				equal++
			}
		}
		if share := float64(zero) / (width * rows); math.Abs(share-p) > .03 {
			t.Errorf("mask %d drops %.3f, expected %v", i, share, p)
		}
	}
	if equal == 2*width*rows {
		t.Error("both layers have the same mask")
	}
}

func TestStreamsAreIndependent(t *testing.T) {
	if Rand(1, ForParameters).Uint64() == Rand(1, ForDropout).Uint64() {
		t.Error("two purposes share a stream")
	}
	if Rand(1, ForParameters).Uint64() != Rand(1, ForParameters).Uint64() {
		t.Error("one purpose, one seed, two streams")
	}
}

// TestPairsMatchConcatenation: the split first layer gives what the MLP
// gives on [left || right].
func TestPairsMatchConcatenation(t *testing.T) {
	for _, hidden := range [][]int{{7}, {7, 6}, {3, 9, 4}} {
		const left, right = 4, 3
		p := newProblem(t, MLPConfig{In: left + right, Hidden: hidden, MaxRows: 9}, 8)
		head := NewPairHead(p.mlp, left)
		var lefts, rights []float32
		for k := range p.rows {
			row := p.x[k*(left+right):][:left+right]
			lefts, rights = append(lefts, row[:left]...), append(rights, row[left:]...)
		}
		width := head.Width()
		l, r := make([]float32, p.rows*width), make([]float32, p.rows*width)
		head.Left(lefts, p.rows, l)
		head.Right(rights, p.rows, r)
		score := head.Scorer()
		for k, want := range p.plain() {
			got := score(l[k*width:][:width], r[k*width:][:width])
			if math.Abs(float64(got)-want) > 1e-5 {
				t.Errorf("hidden %v, pair %d: %v, expected %v", hidden, k, got, want)
			}
		}
	}
}

func BenchmarkStep(b *testing.B) {
	for _, in := range []int{4, 40, 344} {
		b.Run(fmt.Sprintf("200x%d-100-1", in), func(b *testing.B) {
			p := newProblem(b, MLPConfig{In: in, Hidden: []int{100}, Dropout: .1, MaxRows: 200}, 200)
			adam := NewAdam(1e-3, 0)
			for b.Loop() {
				_, grads := p.gradient(b)
				adam.Step(p.mlp.Params(), grads)
			}
		})
	}
}
