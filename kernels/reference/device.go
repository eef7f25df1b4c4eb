package reference

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// Device is the reference device.
type Device struct{ seen *portable.Seen }

var _ kernels.Device = Device{}

// New is a reference device.
func New() Device { return Device{new(portable.Seen)} }

// buffer is memory of this device.
type buffer []float64

// Len is how many numbers it holds.
func (b buffer) Len() int { return len(b) }

// ints is a list on this device.
type ints []int32

// Len is how many numbers it holds.
func (l ints) Len() int { return len(l) }

// take is the first n numbers of b.
func take(b kernels.Buffer, n int) []float64 { return b.(buffer)[:n] }

// plain are the kernels on rows.
type plain = portable.Plain[float64]

// Name is "reference".
func (Device) Name() string { return "reference" }

// NewBuffer holds n zeros.
func (Device) NewBuffer(n int) kernels.Buffer { return buffer(kernels.Allocate[float64](n)) }

// NewInts holds n zeros.
func (Device) NewInts(n int) kernels.Ints { return ints(kernels.Allocate[int32](n)) }

// View is a window of b.
func (Device) View(b kernels.Buffer, offset, n int) kernels.Buffer {
	return b.(buffer)[offset : offset+n : offset+n]
}

// ViewInts is a window of l.
func (Device) ViewInts(l kernels.Ints, offset, n int) kernels.Ints {
	return l.(ints)[offset : offset+n : offset+n]
}

// Threads is one.
func (Device) Threads() int { return 1 }

// Thread is the device itself.
func (d Device) Thread(int) kernels.Device { return d }

// Parallel calls f(0).
func (Device) Parallel(f func(thread int)) { f(0) }

// Wide is false.
func (Device) Wide() bool { return false }

// Write copies src to the start of dst.
func (Device) Write(dst kernels.Buffer, src []float32) {
	to := dst.(buffer)[:len(src)]
	for i, v := range src {
		to[i] = float64(v)
	}
}

// WriteFloat64 copies src to the start of dst.
func (Device) WriteFloat64(dst kernels.Buffer, src []float64) { copy(dst.(buffer)[:len(src)], src) }

// Read copies the start of src to dst.
func (Device) Read(dst []float32, src kernels.Buffer) {
	from := src.(buffer)[:len(dst)]
	for i, v := range from {
		dst[i] = float32(v)
	}
}

// WriteInts copies src to the start of dst.
func (Device) WriteInts(dst kernels.Ints, src []int32) { copy(dst.(ints)[:len(src)], src) }

// Exact gives the numbers themselves, which tests may read and change.
func (Device) Exact(b kernels.Buffer) []float64 { return b.(buffer) }

// Gemm is c = op(a, b), with bias and relu where asked for.
func (Device) Gemm(op kernels.Op, m, n, k int, a, b, c, bias kernels.Buffer, relu bool) {
	g := portable.Gemm[float64]{
		M: m, N: n, K: k, A: a.(buffer), B: b.(buffer), C: c.(buffer),
		TransA: op == kernels.TN, TransB: op == kernels.NT, ReLU: relu,
	}.Gapless()
	if bias != nil {
		g.Bias = bias.(buffer)
	}
	g.Run()
}

// NewRanker serves rankings.
func (Device) NewRanker(int, int) kernels.Ranker { return ranker{} }

type ranker struct{}

func ranking(q kernels.Ranking) portable.Ranking[float64] {
	r := portable.Ranking[float64]{
		Events: q.Events, Nodes: q.Nodes, Dim: q.Dim, U: q.U.(buffer), P: q.P.(buffer), W: q.W.(buffer),
		Candidates: q.Candidates, True: q.True, Without: q.Without,
	}
	if q.Slope != nil {
		r.Slope, r.EventTime, r.NodeTime = q.Slope.(buffer), widened(q.EventTime), widened(q.NodeTime)
	}
	return r
}

func widened(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// Rank counts the negatives above and level.
func (ranker) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	exact := ranking(q)
	exact.Check()
	return exact.Count(0, q.Events, greater, equal)
}

// Scores writes the scores of all candidates.
func (ranker) Scores(q kernels.Ranking, out []float32) {
	exact := ranking(q)
	exact.Check()
	for e := range q.Events {
		for i, v := range q.Candidates {
			out[e*len(q.Candidates)+i] = float32(exact.Score(e, v))
		}
	}
}
