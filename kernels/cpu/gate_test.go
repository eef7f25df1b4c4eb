package cpu

import (
	"testing"
	"time"
)

// TestInterruptedRelease: a release that is interrupted between its two steps,
// while its opening is passed, must not open the gate once more.
func TestInterruptedRelease(t *testing.T) {
	g := newGate()
	g.open.Store(true) // the first step
	g.pass()
	passed := make(chan struct{})
	go func() {
		g.pass()
		close(passed)
	}()
	for !g.asleep.Load() {
		time.Sleep(time.Millisecond)
	}
	if g.asleep.CompareAndSwap(true, false) { // the second step
		g.wake <- struct{}{}
	}
	select {
	case <-passed:
		t.Fatal("the gate was passed twice for one release")
	case <-time.After(50 * time.Millisecond):
	}
	g.release()
	select {
	case <-passed:
	case <-time.After(10 * time.Second):
		t.Fatal("the gate stays shut")
	}
}
