package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Pool runs the parts of a computation on a fixed number of goroutines that
// live as long as it does. After a moment of waiting they sleep, so many pools
// in one process share the processor like any other goroutines.
//
// Which worker runs which part depends on the part's number alone. Parts must
// write to different places; then results do not depend on the number of
// workers.
type Pool struct {
	mu      sync.Mutex   // held by the Run that has the workers
	starts  []*gate      // one a goroutine: there is work, or the end
	finish  *gate        // all goroutines of this Run are done
	left    atomic.Int32 // those that are not yet
	closed  bool
	parts   int
	workers int // taking part in this Run
	f       func(part int)
}

// NewPool starts a pool of n workers, at least one. The caller of Run is one
// of them, so a pool of one worker has no goroutine.
func NewPool(n int) *Pool {
	p := &Pool{finish: newGate()}
	for range n - 1 {
		start := newGate()
		p.starts = append(p.starts, start)
		go p.work(len(p.starts), start)
	}
	return p
}

// Workers is the number of parts that run at the same time.
func (p *Pool) Workers() int { return len(p.starts) + 1 }

// Run calls f(0) to f(parts-1) and returns when all have returned. Worker w
// of n takes parts w, w+n, w+2n, ... Calls from several goroutines take
// turns; f must not call Run. Run allocates nothing if f is kept: a literal
// that captures variables is allocated where it stands.
func (p *Pool) Run(parts int, f func(part int)) {
	p.mu.Lock()
	p.parts, p.f, p.workers = parts, f, min(parts, p.Workers())
	others := max(p.workers-1, 0)
	p.left.Store(int32(others))
	defer func() { // also if f panics here: the others still run it
		if others > 0 {
			p.finish.pass()
		}
		p.f = nil
		p.mu.Unlock()
	}()
	for _, start := range p.starts[:others] {
		start.release()
	}
	p.share(0)
}

// share runs the parts of one worker.
func (p *Pool) share(worker int) {
	for part := worker; part < p.parts; part += p.workers {
		p.f(part)
	}
}

func (p *Pool) work(worker int, start *gate) {
	for {
		start.pass()
		if p.closed {
			return
		}
		p.share(worker)
		if p.left.Add(-1) == 0 {
			p.finish.release()
		}
	}
}

// Close ends the goroutines. The pool must not be used afterwards.
func (p *Pool) Close() {
	p.closed = true
	for _, start := range p.starts {
		start.release()
	}
	p.starts = nil
}

// Split divides 0 to n-1 into parts runs whose lengths differ by at most one,
// and gives the bounds of one of them.
func Split(n, parts, part int) (lo, hi int) {
	return n * part / parts, n * (part + 1) / parts
}

// spinTime is how long a goroutine polls for work before it sleeps. Waking a
// sleeping one takes about as long, more in a virtual machine, and the kernels
// of a batch follow each other in less.
const spinTime = 100 * time.Microsecond

// gate lets one goroutine wait until another one opens it.
type gate struct {
	open, asleep atomic.Bool
	wake         chan struct{}
}

func newGate() *gate { return &gate{wake: make(chan struct{}, 1)} }

// release opens the gate.
func (g *gate) release() {
	g.open.Store(true)
	if g.asleep.CompareAndSwap(true, false) {
		g.wake <- struct{}{}
	}
}

// pass waits until the gate is open and shuts it.
func (g *gate) pass() {
	for start := time.Now(); time.Since(start) < spinTime; runtime.Gosched() {
		for range 100 {
			if g.open.CompareAndSwap(true, false) {
				return
			}
		}
	}
	for {
		g.asleep.Store(true)
		if g.open.CompareAndSwap(true, false) {
			if !g.asleep.CompareAndSwap(true, false) {
				<-g.wake // release has seen a sleeper and wakes it
			}
			return
		}
		<-g.wake
		if g.open.CompareAndSwap(true, false) {
			return
		}
		// Woken for an opening that was passed already: its release was
		// interrupted between its two steps.
	}
}
