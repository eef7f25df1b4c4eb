package cpu

import "sync"

// Pool runs the parts of a computation on a fixed number of goroutines that
// live as long as it does. Waiting ones sleep, so many pools in one process
// share the processor like any other goroutines.
//
// Which worker runs which part depends on the part's number alone. Parts must
// write to different places; then results do not depend on the number of
// workers.
type Pool struct {
	mu      sync.Mutex // held by the Run that has the workers
	wake    []chan struct{}
	done    sync.WaitGroup
	parts   int
	workers int // taking part in this Run
	f       func(part int)
}

// NewPool starts a pool of n workers, at least one. The caller of Run is one
// of them, so a pool of one worker has no goroutine.
func NewPool(n int) *Pool {
	p := &Pool{}
	for range n - 1 {
		wake := make(chan struct{}, 1)
		p.wake = append(p.wake, wake)
		go p.work(len(p.wake), wake)
	}
	return p
}

// Workers is the number of parts that run at the same time.
func (p *Pool) Workers() int { return len(p.wake) + 1 }

// Run calls f(0) to f(parts-1) and returns when all have returned. Worker w
// of n takes parts w, w+n, w+2n, ... Calls from several goroutines take
// turns; f must not call Run. Run allocates nothing if f is kept: a literal
// that captures variables is allocated where it stands.
func (p *Pool) Run(parts int, f func(part int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parts, p.f, p.workers = parts, f, min(parts, p.Workers())
	others := max(p.workers-1, 0)
	p.done.Add(others)
	for _, wake := range p.wake[:others] {
		wake <- struct{}{}
	}
	p.share(0)
	p.done.Wait()
	p.f = nil
}

// share runs the parts of one worker.
func (p *Pool) share(worker int) {
	for part := worker; part < p.parts; part += p.workers {
		p.f(part)
	}
}

func (p *Pool) work(worker int, wake <-chan struct{}) {
	for range wake {
		p.share(worker)
		p.done.Done()
	}
}

// Close ends the goroutines. The pool must not be used afterwards.
func (p *Pool) Close() {
	for _, wake := range p.wake {
		close(wake)
	}
	p.wake = nil
}

// Split divides 0 to n-1 into parts runs whose lengths differ by at most one,
// and gives the bounds of one of them.
func Split(n, parts, part int) (lo, hi int) {
	return n * part / parts, n * (part + 1) / parts
}
