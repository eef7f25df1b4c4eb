// Package doctor measures what the machine can do, to compare the speed of
// everything else with: floating-point peak, memory bandwidth, and a matrix
// product of the size that models use.
package doctor

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dgsbench/harness"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devices"
)

// Rates are what the machine can do: the best of several short runs, because
// other load on the machine lowers them.
type Rates struct {
	Machine string `json:"machine"` // processor, cores, system, Go
	Vector  string `json:"vector"`  // instruction set that the kernels use
	Cores   int    `json:"cores"`   // that the program may use

	// Peak is the rate of fused multiply-adds in GFLOP/s (one is two
	// operations), as reached by sgemm on operands in the first-level cache.
	Peak Rate `json:"fma_peak_gflops"`
	// Copy is the rate of copying memory outside the caches in GB/s, every
	// byte counted once though it is read and written.
	Copy Rate `json:"memory_copy_gb_per_s"`
	// Gemm is the rate of sgemm in GFLOP/s, 200x172 by 172x100.
	Gemm Rate `json:"sgemm_200x172x100_gflops"`

	GPU string `json:"gpu"`
}

// Rate is a rate on one core and on all together.
type Rate struct {
	OneCore  float64 `json:"one_core"`
	AllCores float64 `json:"all_cores"`
}

// effort says how long to measure.
type effort struct {
	runs      int // the best counts
	length    time.Duration
	copyBytes int // a core's share of the memory that is copied
}

// Measure takes about three seconds and 128 MiB a core. Its runs are as short
// as the time slices of a busy system, so that some are not interrupted.
func Measure() Rates {
	return measure(effort{runs: 100, length: 3 * time.Millisecond, copyBytes: 64 << 20})
}

func measure(e effort) Rates {
	l := newLoads(e.copyBytes)
	// 168 rows fill the register tiles of every level, and 32 columns are
	// a whole panel; 128 deep, it fits the cache.
	cores := runtime.GOMAXPROCS(0)
	peak := product(cores, 168, 32, 128)
	for range e.runs { // in turns, so that load elsewhere meets them all
		peak.run(e.length)
		l.memory.run(e.length)
		l.model.run(e.length)
	}
	return Rates{
		Machine: harness.Machine(devices.Target{}), Vector: cpu.Best().Level().String(), Cores: cores,
		Peak: peak.best, Copy: l.memory.best, Gemm: l.model.best,
		GPU: "none: this build has no GPU support",
	}
}

// Loads are the product and the copy of [Rates].
type Loads struct{ memory, model *gauge }

// NewLoads takes 128 MiB a core.
func NewLoads() *Loads { return newLoads(64 << 20) }

func newLoads(copyBytes int) *Loads {
	cores := runtime.GOMAXPROCS(0)
	return &Loads{copying(cores, copyBytes), product(cores, 200, 100, 172)}
}

// Now returns the rates that other load on the machine leaves at the moment. It
// takes about four times length.
func (l *Loads) Now(length time.Duration) (gemm, memory Rate) {
	return l.model.rate(length), l.memory.rate(length)
}

// gauge is work that every core repeats, and the best rate so far.
type gauge struct {
	amount float64 // of one call, in units of 1e9
	calls  []func()
	best   Rate
}

// newGauge sets up the work on that many cores. setup allocates the data of one.
func newGauge(cores int, amount float64, setup func() (call func())) *gauge {
	g := &gauge{amount: amount, calls: make([]func(), cores)}
	onEach(cores, func(i int) {
		g.calls[i] = setup()
		g.calls[i]()
	})
	return g
}

// product multiplies an m x k matrix by a k x n one.
func product(cores, m, n, k int) *gauge {
	return newGauge(cores, 2*float64(m)*float64(n)*float64(k)/1e9, func() func() {
		g := cpu.Gemm{
			M: m, N: n, K: k, LDA: k, LDB: n, LDC: n,
			A: ones(m * k), B: ones(k * n), C: ones(m * n),
		}
		kernels, scratch := cpu.Best(), make([]float32, cpu.GemmScratch)
		return func() { kernels.Gemm(g, scratch) }
	})
}

// copying copies size bytes to other memory, a chunk a call. The chunk is
// long enough to be copied past the caches.
func copying(cores, size int) *gauge {
	const chunk = 1 << 20 // floats
	n := max(size/4, chunk)
	return newGauge(cores, 4*chunk/1e9, func() func() {
		from, to, at := ones(n), ones(n), 0
		return func() {
			if at+chunk > n {
				at = 0
			}
			copy(to[at:at+chunk], from[at:])
			at += chunk
		}
	})
}

// ones returns memory whose pages are all there: the system maps none before
// something is written to it.
func ones(n int) []float32 { return slices.Repeat([]float32{1}, n) }

// run keeps the best rates.
func (g *gauge) run(length time.Duration) {
	now := g.rate(length)
	g.best = Rate{max(g.best.OneCore, now.OneCore), max(g.best.AllCores, now.AllCores)}
}

// rate measures one core, then all.
func (g *gauge) rate(length time.Duration) Rate {
	return Rate{g.amount * callsPerSecond(g.calls[:1], length), g.amount * callsPerSecond(g.calls, length)}
}

// callsPerSecond repeats every call on a core of its own.
func callsPerSecond(calls []func(), length time.Duration) float64 {
	var total atomic.Int64
	start := time.Now()
	onEach(len(calls), func(i int) {
		n := int64(0)
		for n == 0 || time.Since(start) < length {
			calls[i]()
			n++
		}
		total.Add(n)
	})
	return float64(total.Load()) / time.Since(start).Seconds()
}

// onEach runs f(0) to f(n-1) concurrently.
func onEach(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}
