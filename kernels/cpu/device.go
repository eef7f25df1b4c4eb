package cpu

import (
	"runtime"

	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// Device runs kernels on the processor. Its buffers are float32 slices.
type Device struct {
	kernels Kernels
	pool    *Pool
	threads []*Device   // of one worker each
	scratch [][]float32 // of each worker
	product Gemm        // that the workers compute
	part    func(int)   // one worker's share of it

	attention     Attention // that is being computed
	attentionGrad AttentionGrad

	histogram histogramWork // that the workers share
	forward   forwardWork

	seen portable.Seen
}

var _ kernels.Device = (*Device)(nil)

// NewDevice is a device of the given kernels and number of threads. Results
// do not depend on the latter. The threads end when the device is no longer
// reachable.
func NewDevice(k Kernels, threads int) *Device {
	pool := NewPool(threads)
	scratch := make([][]float32, pool.Workers())
	for i := range scratch {
		scratch[i] = make([]float32, GemmScratch)
	}
	d := newDevice(k, pool, scratch)
	for i := range scratch {
		d.threads = append(d.threads, newDevice(k, NewPool(1), scratch[i:i+1]))
	}
	runtime.AddCleanup(d, func(p *Pool) { p.Close() }, d.pool)
	return d
}

// newDevice has a scratch for each worker of the pool.
func newDevice(k Kernels, pool *Pool, scratch [][]float32) *Device {
	d := &Device{kernels: k, pool: pool, scratch: scratch}
	d.part = d.gemmPart
	d.histogram.init(d)
	return d
}

// Threads is how many the device was made for.
func (d *Device) Threads() int { return d.pool.Workers() }

// Thread is a device of one worker, which shares its scratch.
func (d *Device) Thread(i int) kernels.Device { return d.threads[i] }

// Parallel runs f on all workers.
func (d *Device) Parallel(f func(thread int)) { d.pool.Run(d.pool.Workers(), f) }

// Wide is false: what a call moves stays in a core's cache if it is little.
func (d *Device) Wide() bool { return false }

// buffer is memory of this device.
type buffer []float32

// Len is how many numbers it holds.
func (b buffer) Len() int { return len(b) }

// ints is a list on this device.
type ints []int32

// Len is how many numbers it holds.
func (l ints) Len() int { return len(l) }

// take is the first n numbers of b.
func take(b kernels.Buffer, n int) []float32 { return b.(buffer)[:n] }

// Name is the class of its kernels.
func (d *Device) Name() string { return d.kernels.Class() }

// NewBuffer holds n zeros.
func (d *Device) NewBuffer(n int) kernels.Buffer { return buffer(kernels.Allocate[float32](n)) }

// NewInts holds n zeros.
func (d *Device) NewInts(n int) kernels.Ints { return ints(kernels.Allocate[int32](n)) }

// View is a window of b.
func (d *Device) View(b kernels.Buffer, offset, n int) kernels.Buffer {
	return b.(buffer)[offset : offset+n : offset+n]
}

// ViewInts is a window of l.
func (d *Device) ViewInts(l kernels.Ints, offset, n int) kernels.Ints {
	return l.(ints)[offset : offset+n : offset+n]
}

// Write copies src to the start of dst.
func (d *Device) Write(dst kernels.Buffer, src []float32) { copy(dst.(buffer)[:len(src)], src) }

// WriteFloat64 copies src to the start of dst, rounded.
func (d *Device) WriteFloat64(dst kernels.Buffer, src []float64) {
	to := dst.(buffer)[:len(src)]
	for i, v := range src {
		to[i] = float32(v)
	}
}

// Read copies the start of src to dst.
func (d *Device) Read(dst []float32, src kernels.Buffer) { copy(dst, src.(buffer)[:len(dst)]) }

// WriteInts copies src to the start of dst.
func (d *Device) WriteInts(dst kernels.Ints, src []int32) { copy(dst.(ints)[:len(src)], src) }

// Gemm is c = op(a, b), with bias and relu where asked for.
func (d *Device) Gemm(op kernels.Op, m, n, k int, a, b, c, bias kernels.Buffer, relu bool) {
	g := Gemm{
		M: m, N: n, K: k, A: a.(buffer), B: b.(buffer), C: c.(buffer),
		TransA: op == kernels.TN, TransB: op == kernels.NT, ReLU: relu,
	}.Gapless()
	if bias != nil {
		g.Bias = bias.(buffer)
	}
	if workers := d.pool.Workers(); workers > 1 && m*n*k >= worthSharing {
		d.product = g
		d.pool.Run(workers, d.part)
		return
	}
	d.kernels.Gemm(g, d.scratch[0])
}

// worthSharing is the number of multiplications from which a product is
// divided over the threads: below it, waking them takes longer.
const worthSharing = 1 << 18

// gemmPart computes one worker's rows of the product.
func (d *Device) gemmPart(part int) {
	lo, hi := Split(d.product.M, d.pool.Workers(), part)
	d.kernels.Gemm(d.product.Rows(lo, hi), d.scratch[part])
}

// NewRanker serves rankings of at most so many events and dimensions.
func (d *Device) NewRanker(maxEvents, maxDim int) kernels.Ranker {
	return deviceRanker{NewRanker(d.kernels, d.pool, maxEvents, maxDim)}
}

type deviceRanker struct{ *Ranker }

func ranking(q kernels.Ranking) Ranking {
	r := Ranking{
		Events: q.Events, Nodes: q.Nodes, Dim: q.Dim, U: q.U.(buffer), P: q.P.(buffer), W: q.W.(buffer),
		EventTime: q.EventTime, NodeTime: q.NodeTime,
		Candidates: q.Candidates, True: q.True, Without: q.Without,
	}
	if q.Slope != nil {
		r.Slope = q.Slope.(buffer)
	}
	return r
}

// Rank counts the negatives above and level.
func (r deviceRanker) Rank(q kernels.Ranking, greater, equal []int32) (bad int) {
	return r.Ranker.Rank(ranking(q), greater, equal)
}

// Scores writes the scores of all candidates.
func (r deviceRanker) Scores(q kernels.Ranking, out []float32) { r.Ranker.Scores(ranking(q), out) }
