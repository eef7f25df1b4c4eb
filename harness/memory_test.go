package harness

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
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
