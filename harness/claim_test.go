package harness

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

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

// TestClaims: workers of a run share a claim, others wait until the last of
// them is done, or until they are told not to.
func TestClaims(t *testing.T) {
	root, cell := t.TempDir(), filepath.Join("suite", "dataset", "nc", "raw")
	mine, theirs := claims{root: root}, claims{root: root}
	take := func(c *claims, want bool) {
		t.Helper()
		if ok, err := c.acquire(cell); err != nil || ok != want {
			t.Errorf("taken %v, %v; expected %v", ok, err, want)
		}
	}
	take(&mine, true)
	take(&mine, true)
	take(&theirs, false)
	mine.release(cell)
	take(&theirs, false)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if ok, err := theirs.wait(cancelled, cell); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("waited: %v, %v", ok, err)
	}
	done := make(chan bool)
	go func() {
		ok, err := theirs.wait(context.Background(), cell)
		done <- ok && err == nil
	}()
	mine.release(cell)
	if !<-done {
		t.Error("not taken after it was given")
	}
	take(&mine, false)
	theirs.release(cell)
	take(&mine, true)
	mine.release(cell)
}
