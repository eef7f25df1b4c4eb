package harness

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"dgsbench/specs"
)

// TestMemoryIsShared: trials that do not fit together run one after another,
// those that do side by side, and one that never fits runs alone.
func TestMemoryIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.free = 100
		var using, most atomic.Int64
		leave := make(chan struct{})
		for _, need := range []int64{60, 30, 60, 500, 10} {
			go func() {
				m.take(need)
				defer m.give(need)
				if now := using.Add(need); now > most.Load() {
					most.Store(now)
				}
				if need > 100 && using.Load() != need {
					t.Errorf("a trial of %d shares the memory", need)
				}
				<-leave
				using.Add(-need)
			}()
			synctest.Wait()
		}
		if got := using.Load(); got != 100 {
			t.Errorf("%d of 100 in use, expected 60 + 30 + 10", got)
		}
		for range 5 {
			leave <- struct{}{}
			synctest.Wait()
		}
		if m.free != 100 || m.running != 0 {
			t.Errorf("%d free, %d running at the end", m.free, m.running)
		}
	})
}

// TestMemoryIsRefused: a trial that never fits is named with the numbers.
func TestMemoryIsRefused(t *testing.T) {
	m := &memory{free: 2_000_000_000}
	j := job{trial: specs.Trial{ModelID: "huge", Dataset: "toy"}, bytes: 1_000_000_000}
	if err := m.refuse([]job{j}); err != nil {
		t.Error(err)
	}
	j.bytes = 3_000_000_000
	if err := m.refuse([]job{j}); err == nil || !strings.Contains(err.Error(), "huge on toy: training needs 3.0 GB of memory, this machine has 2.0 GB free") {
		t.Errorf("%v, expected trial and numbers", err)
	}
}
