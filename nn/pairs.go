package nn

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// PairHead scores pairs [left || right] with an MLP without ever building
// the pairs: its first layer splits into a part of the left vector and a
// part of the right one, each computed once a vector. The parameters are
// those of the MLP, live.
type PairHead struct {
	mlp  *MLP
	left int // columns of the left vector
}

// NewPairHead reads the first left input columns of the MLP as the left
// vector and the others as the right one.
func NewPairHead(m *MLP, left int) *PairHead { return &PairHead{mlp: m, left: left} }

// Width is the number of units of the first layer: the length of a part.
func (h *PairHead) Width() int { return h.mlp.layers[0].Out }

// Left writes the left part, bias included, of every row of z (rows x left)
// to out (rows x Width).
func (h *PairHead) Left(z []float32, rows int, out []float32) {
	first := h.mlp.layers[0]
	multiply(z, rows, h.left, first.W[:h.left*first.Out], first.Out, out)
	for k := range rows {
		row := out[k*first.Out:][:first.Out]
		for j, b := range first.B {
			row[j] += b
		}
	}
}

// Right writes the right part of every row of z (rows x right) to out (rows
// x Width).
func (h *PairHead) Right(z []float32, rows int, out []float32) {
	first := h.mlp.layers[0]
	multiply(z, rows, first.In-h.left, first.W[h.left*first.Out:], first.Out, out)
}

// multiply is out = a (n x k) times b (k x m).
func multiply(a []float32, n, k int, b []float32, m int, out []float32) {
	if n == 0 {
		return
	}
	gonum.Implementation{}.Sgemm(blas.NoTrans, blas.NoTrans, n, m, k, 1, a, k, b, m, 0, out, m)
}

// Scorer returns a function that turns a left and a right part into the
// logit. The function owns scratch memory: one a goroutine.
func (h *PairHead) Scorer() func(left, right []float32) float32 {
	var hidden [2][]float32
	rest := h.mlp.layers[1:]
	width := h.Width()
	for _, l := range rest {
		width = max(width, l.Out)
	}
	hidden[0], hidden[1] = make([]float32, width), make([]float32, width)
	if len(rest) == 1 {
		return func(left, right []float32) float32 { return addReluDot(left, right, rest[0]) }
	}
	return func(left, right []float32) float32 {
		in := hidden[0][:len(left)]
		for j, v := range left {
			in[j] = max(v+right[j], 0)
		}
		for i, l := range rest {
			out := hidden[(i+1)%2][:l.Out]
			l.apply(in, out)
			if i < len(rest)-1 {
				relu(out)
			}
			in = out
		}
		return in[0]
	}
}

// addReluDot is the whole rest of a head with one hidden layer.
func addReluDot(left, right []float32, out Layer) float32 {
	sum := out.B[0]
	right, w := right[:len(left)], out.W[:len(left)]
	for j, v := range left {
		sum += max(v+right[j], 0) * w[j]
	}
	return sum
}

// apply computes one row of a dense layer.
func (l Layer) apply(in, out []float32) {
	copy(out, l.B)
	for i, v := range in {
		row := l.W[i*l.Out:][:l.Out]
		for j, w := range row {
			out[j] += v * w
		}
	}
}

func relu(x []float32) {
	for i, v := range x {
		x[i] = max(v, 0)
	}
}

// Rows runs work on the rows 0 .. n-1, cut into one range a thread.
func Rows(n, threads int, work func(lo, hi int)) {
	threads = max(1, min(threads, n))
	var wg sync.WaitGroup
	for t := range threads {
		lo, hi := t*n/threads, (t+1)*n/threads
		wg.Go(func() { work(lo, hi) })
	}
	wg.Wait()
}
