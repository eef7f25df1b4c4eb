//go:build unix

// Package growth tests how the time of a piece of work grows with its size.
package growth

import (
	"math"
	"syscall"
	"testing"
	"time"
)

// Times is the factor between the smaller and the larger work. Linear work then
// takes 16 times as long, and quadratic work 256 times.
const (
	Times     = 16
	maxGrowth = 64
)

// Linear fails the test if work on Times n things takes much more than Times the
// processor time of work on n. It uses the shortest of several runs, because a
// busy machine only makes a run longer.
func Linear(t *testing.T, n int, work func(n int)) {
	t.Helper()
	const tries = 6
	short, long := math.Inf(1), math.Inf(1)
	for range tries {
		short = min(short, seconds(func() { work(n) }))
		long = min(long, seconds(func() { work(Times * n) }))
		if long <= maxGrowth*short {
			return
		}
	}
	t.Errorf("%d take %.1f ms and %d take %.1f ms, %.1f times as long, expected at most %d", n, 1e3*short, Times*n, 1e3*long, long/short, maxGrowth)
}

func seconds(work func()) float64 {
	start := used()
	work()
	return (used() - start).Seconds()
}

// used returns the processor time of this process.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
