package cpu_test

import (
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dgsbench/kernels/cpu"
)

func TestPoolRunsEveryPartOnce(t *testing.T) {
	for workers := range 5 {
		pool := cpu.NewPool(workers)
		if got := pool.Workers(); got != max(workers, 1) {
			t.Errorf("%d workers, want %d", got, max(workers, 1))
		}
		for parts := range 12 {
			runs := make([]int, parts)
			pool.Run(parts, func(part int) { runs[part]++ })
			for part, n := range runs {
				if n != 1 {
					t.Errorf("%d workers, %d parts: part %d ran %d times", workers, parts, part, n)
				}
			}
		}
		pool.Close()
	}
}

// Ten pools, each used from two goroutines: under the race detector this
// shows that a Run sees what earlier ones have written and no other's parts.
func TestPoolsSideBySide(t *testing.T) {
	var callers sync.WaitGroup
	for range 10 {
		pool := cpu.NewPool(3)
		var users sync.WaitGroup
		for range 2 {
			users.Add(1)
			go func() {
				defer users.Done()
				sums := make([]int, 7)
				for range 200 {
					pool.Run(len(sums), func(part int) { sums[part] += part })
				}
				for part, sum := range sums {
					if sum != 200*part {
						t.Errorf("part %d: %d, want %d", part, sum, 200*part)
					}
				}
			}()
		}
		callers.Add(1)
		go func() {
			defer callers.Done()
			users.Wait()
			pool.Close()
		}()
	}
	callers.Wait()
}

// TestPoolAfterPauses: between runs the goroutines are looking out, falling
// asleep or asleep.
func TestPoolAfterPauses(t *testing.T) {
	pool := cpu.NewPool(3)
	defer pool.Close()
	sums := make([]int, 3)
	f := func(part int) { sums[part]++ }
	const runs = 400
	for run := range runs {
		pool.Run(len(sums), f)
		time.Sleep(time.Duration(run%50) * 5 * time.Microsecond)
	}
	for part, n := range sums {
		if n != runs {
			t.Errorf("part %d ran %d times, want %d", part, n, runs)
		}
	}
}

// TestPoolWaitsInAPanic: a Run that panics leaves no worker behind.
func TestPoolWaitsInAPanic(t *testing.T) {
	pool := cpu.NewPool(3)
	defer pool.Close()
	ended := make([]bool, 3)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not reach the caller")
			}
		}()
		pool.Run(3, func(part int) {
			if part == 0 {
				panic("part 0")
			}
			time.Sleep(5 * time.Millisecond)
			ended[part] = true
		})
	}()
	if !ended[1] || !ended[2] {
		t.Errorf("parts that had ended when Run did: %v", ended[1:])
	}
	pool.Run(3, func(part int) { ended[part] = false })
	if ended[1] || ended[2] {
		t.Error("the pool does not run again")
	}
}

func TestPoolDoesNotAllocate(t *testing.T) {
	pool := cpu.NewPool(3)
	defer pool.Close()
	sums := make([]int, 5)
	f := func(part int) { sums[part]++ }
	if n := testing.AllocsPerRun(50, func() { pool.Run(len(sums), f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, parts := rapid.IntRange(0, 1000).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "parts")
		end := 0
		for part := range parts {
			lo, hi := cpu.Split(n, parts, part)
			if lo != end || hi-lo < n/parts || hi-lo > (n+parts-1)/parts {
				t.Fatalf("part %d is %d to %d, the one before ends at %d", part, lo, hi, end)
			}
			end = hi
		}
		if end != n {
			t.Fatalf("the parts end at %d of %d", end, n)
		}
	})
}

func BenchmarkPool(b *testing.B) {
	pool := cpu.NewPool(2)
	defer pool.Close()
	f := func(int) {}
	for b.Loop() {
		pool.Run(2, f)
	}
}
