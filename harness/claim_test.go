package harness

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"dgsbench/internal/lock"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"

	"github.com/google/go-cmp/cmp"
)

// TestRunsShareAFolder: several runs in one folder measure every trial once,
// and each of them ends with all trials.
func TestRunsShareAFolder(t *testing.T) {
	trials, dir := toySuite(t), t.TempDir()
	var sums [3]Summary
	var runs sync.WaitGroup
	for i := range sums {
		runs.Go(func() {
			var err error
			r := Runner{Store: record.Store{Dir: dir}, Workers: 2}
			if sums[i], err = r.Run(context.Background(), trials); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	measured := 0
	for _, sum := range sums {
		measured += sum.Finished + sum.Failed - len(sum.FailedBefore)
		if all := sum.Found + sum.Finished + sum.Failed; all != len(trials) || sum.Left != 0 {
			t.Errorf("a run ends with %d trials and %d left, expected %d and 0", all, sum.Left, len(trials))
		}
	}
	if measured != len(trials) {
		t.Errorf("%d trials measured, expected %d", measured, len(trials))
	}
	whole := t.TempDir()
	r := Runner{Store: record.Store{Dir: whole}}
	if _, err := r.Run(context.Background(), trials); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(load(t, whole), load(t, dir), cmp.AllowUnexported(record.Record{})); diff != "" {
		t.Errorf("alone (-), together (+):\n%s", diff)
	}
}

// TestClaims: a run leaves a trial that another process has claimed for the end,
// and waits for it there, or until it is told not to.
func TestClaims(t *testing.T) {
	trials, store := toySuite(t)[:2], record.Store{Dir: t.TempDir()}
	lib, err := loadAll(trials, "")
	if err != nil {
		t.Fatal(err)
	}
	rec := Describe(trials[0], lib[trials[0].Dataset].loaded, devices.Target{})
	claimed, err := lock.Try(lock.In(store.Dir, filepath.Join("trials", filepath.FromSlash(rec.Key.Path(rec.Identity)))))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := Runner{Store: store, Hooks: Hooks{Wait: func(left int) {
		if cancel(); left != 1 {
			t.Errorf("%d trials are left, expected 1", left)
		}
	}}}
	if sum, err := r.Run(ctx, trials); !errors.Is(err, context.Canceled) || sum.Finished != 1 || sum.Left != 1 {
		t.Errorf("cancelled: %+v, %v", sum, err)
	}
	r.Hooks.Wait = func(int) { claimed.Release() }
	if sum, err := r.Run(context.Background(), trials); err != nil || sum.Found != 1 || sum.Finished != 1 {
		t.Errorf("after the release: %+v, %v", sum, err)
	}
}
