package harness

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"dgsbench/kernels"
	"dgsbench/specs"
)

// TestMemoryIsShared: trials that do not fit together run one after another,
// those that do side by side, and one that never fits runs alone.
func TestMemoryIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newLimit("the machine", 100)
		var using, most atomic.Int64
		leave := make(chan struct{})
		for _, need := range []int64{60, 30, 60, 500, 10} {
			go func() {
				m.acquire(need)
				defer m.release(need)
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
	m := newLimit("this machine", 2_000_000_000)
	j := job{trial: specs.Trial{ModelID: "huge", Dataset: "toy"}, bytes: 1_000_000_000}
	if err := m.check(j); err != nil {
		t.Error(err)
	}
	j.bytes = 3_000_000_000
	if err := m.check(j); err == nil || !strings.Contains(err.Error(), "huge on toy: needs 3.0 GB of memory, this machine has 2.0 GB free") {
		t.Errorf("%v, expected trial and numbers", err)
	}
}

// TestMemoryIsFull: what finds a card full is done again, once it has it to
// itself, and then not again. Nothing is done again that never had company.
func TestMemoryIsFull(t *testing.T) {
	full := &kernels.Failure{Err: kernels.ErrMemory}
	synctest.Test(t, func(t *testing.T) {
		m := newLimit("the card", 100)
		leave := make(chan struct{})
		go m.use(10, func() error { <-leave; return nil })
		synctest.Wait()
		tries, err := 0, error(nil)
		go func() {
			err = m.use(20, func() error { tries++; return full })
		}()
		synctest.Wait()
		if tries != 1 {
			t.Errorf("%d tries while another one is at work, expected 1", tries)
		}
		close(leave)
		synctest.Wait()
		if tries != 2 || !errors.Is(err, kernels.ErrMemory) || m.free != 100 || m.running != 0 {
			t.Errorf("%d tries, error %v, %d free, %d running", tries, err, m.free, m.running)
		}
	})
	m, tries := newLimit("the card", 100), 0
	if err := m.use(20, func() error { tries++; return full }); tries != 1 || !errors.Is(err, kernels.ErrMemory) {
		t.Errorf("alone: %d tries, error %v", tries, err)
	}
}
