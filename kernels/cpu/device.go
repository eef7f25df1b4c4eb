package cpu

import (
	"runtime"

	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// Device runs kernels on the processor: those of portable.Device, products and
// whatever else is large enough on several threads.
type Device struct {
	*portable.Device[float32]
	kernels Kernels
	pool    *Pool
	threads []*Device   // of one worker each
	scratch [][]float32 // of each worker

	product     Gemm             // that the workers compute
	productPart func(part int)   // one worker's share of it
	rows        func(lo, hi int) // a kernel that is divided over the workers
	n           int              // its rows
	rowsPart    func(part int)   // one worker's share of them
}

var _ kernels.Device = (*Device)(nil)

// NewDevice returns a device with the given kernels and number of threads, on
// which results do not depend. The threads end when the device is no longer
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

// newDevice takes a scratch for each worker of the pool.
func newDevice(k Kernels, pool *Pool, scratch [][]float32) *Device {
	d := &Device{Device: portable.NewDevice(k.Class(), k.Kernels, scratch[0]), kernels: k, pool: pool, scratch: scratch}
	d.productPart, d.rowsPart, d.Divide = d.multiplyPart, d.runPart, d.divide
	return d
}

func (d *Device) Threads() int { return d.pool.Workers() }

// Thread is a device of one worker, which shares its scratch.
func (d *Device) Thread(i int) kernels.Device { return d.threads[i] }

func (d *Device) Parallel(f func(thread int)) { d.pool.Run(d.pool.Workers(), f) }

// worthSharing is the number of multiplications from which a product is
// divided over the threads: below it, waking them takes longer.
const worthSharing = 1 << 18

func (d *Device) Gemm(op kernels.Op, m, n, k int, a, b, c, bias kernels.Buffer, relu bool) {
	g := d.Product(op, m, n, k, a, b, c, bias, relu)
	if workers := d.pool.Workers(); workers > 1 && m*n*k >= worthSharing {
		d.product = g
		d.pool.Run(workers, d.productPart)
		return
	}
	d.kernels.Gemm(g, d.scratch[0])
}

func (d *Device) multiplyPart(part int) {
	lo, hi := Split(d.product.M, d.pool.Workers(), part)
	d.kernels.Gemm(d.product.Rows(lo, hi), d.scratch[part])
}

// worthSplitting is the number of elements that a kernel reads or writes from
// which its rows are divided over the threads.
const worthSplitting = 1 << 17

// divide runs f on the rows, in parts if there are enough elements.
func (d *Device) divide(rows, elements int, f func(lo, hi int)) {
	if elements < worthSplitting || d.pool.Workers() == 1 {
		f(0, rows)
		return
	}
	d.rows, d.n = f, rows
	d.pool.Run(d.pool.Workers(), d.rowsPart)
}

func (d *Device) runPart(part int) { d.rows(Split(d.n, d.pool.Workers(), part)) }

func (d *Device) NewRanker(maxEvents, maxDim int) kernels.Ranker {
	return d.kernels.ranker(d, maxEvents, maxDim)
}
