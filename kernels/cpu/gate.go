package cpu

import (
	"runtime"
	"sync/atomic"
	"time"
)

// patience is how long a goroutine looks out for its work before it sleeps.
// Waking a sleeping one takes about as long, more in a virtual machine, and
// the kernels of a batch follow each other in less.
const patience = 100 * time.Microsecond

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
	for start := time.Now(); time.Since(start) < patience; runtime.Gosched() {
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
