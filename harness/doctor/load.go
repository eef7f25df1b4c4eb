package doctor

import (
	"sync"
	"time"

	"dgsbench/kernels/cpu"
)

// load is work that can be repeated: setup makes the data of one core.
type load struct {
	amount float64 // of one call, in units of 1e9
	setup  func() (call func())
}

// product multiplies an m x k matrix by a k x n one.
func product(m, n, k int) load {
	return load{
		amount: 2 * float64(m) * float64(n) * float64(k) / 1e9,
		setup: func() func() {
			g := cpu.Gemm{
				M: m, N: n, K: k, LDA: k, LDB: n, LDC: n,
				A: ones(m * k), B: ones(k * n), C: ones(m * n),
			}
			kernels, scratch := cpu.Best(), make([]float32, cpu.GemmScratch)
			return func() { kernels.Gemm(g, scratch) }
		},
	}
}

// copying copies size bytes to other memory, a chunk a call. The chunk is
// long enough to be copied past the caches.
func copying(size int) load {
	const chunk = 1 << 20 // floats
	n := max(size/4, chunk)
	return load{
		amount: 4 * chunk / 1e9,
		setup: func() func() {
			from, to, at := ones(n), ones(n), 0
			return func() {
				if at+chunk > n {
					at = 0
				}
				copy(to[at:at+chunk], from[at:])
				at += chunk
			}
		},
	}
}

// ones is memory that the system has really given: it gives no page before
// something is written there.
func ones(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// gauge is a load on every core, and the best rate so far.
type gauge struct {
	amount float64
	calls  []func()
	best   Rate
}

// on sets the load up on that many cores.
func (l load) on(cores int) *gauge {
	g := &gauge{amount: l.amount, calls: make([]func(), cores)}
	onEach(cores, func(i int) {
		g.calls[i] = l.setup()
		g.calls[i]()
	})
	return g
}

// run measures one core, then all.
func (g *gauge) run(length time.Duration) {
	g.best.OneCore = max(g.best.OneCore, g.amount*callsPerSecond(g.calls[:1], length))
	g.best.AllCores = max(g.best.AllCores, g.amount*callsPerSecond(g.calls, length))
}

// callsPerSecond repeats every call on a core of its own.
func callsPerSecond(calls []func(), length time.Duration) float64 {
	counts := make([]int, len(calls))
	start := time.Now()
	onEach(len(calls), func(i int) {
		n := 0
		for n == 0 || time.Since(start) < length {
			calls[i]()
			n++
		}
		counts[i] = n
	})
	took, total := time.Since(start), 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / took.Seconds()
}

// onEach runs f(0) to f(n-1) side by side.
func onEach(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}
