//go:build gpu

package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// onCard finds the card, and seeds of a small model that learns.
func onCard(t *testing.T) (devices.Target, []specs.Trial) {
	t.Helper()
	t.Setenv(devices.LibraryVariable, cudatest.Library(t))
	card, err := devices.Find(devices.CUDA)
	if err != nil {
		t.Fatal(err)
	}
	return card, suiteTrials(t, `name: seeds
title: seeds side by side
seeds: 4
protocol: {batch: 100, epochs: 1, candidates: [destinations], val_negatives: 0}
runs:
  - {task: lp, settings: [T], datasets: [toy], models: [dgs], options: {dgs: {size: 8, blocks: 2, head: {hidden: [8]}}}}
`)
}

// TestSeedsOnOneCard: seeds side by side give the bits that they give one
// after another.
func TestSeedsOnOneCard(t *testing.T) {
	card, trials := onCard(t)
	var all [2][]record.Record
	for i, workers := range []int{1, 4} {
		dir := t.TempDir()
		r := Runner{Store: record.Store{Dir: dir}, Workers: workers, Device: card}
		if sum, err := r.Run(context.Background(), trials); err != nil || sum.Finished != len(trials) {
			t.Fatalf("%+v, %v", sum, err)
		}
		all[i] = load(t, dir)
	}
	if diff := cmp.Diff(all[0], all[1], cmp.AllowUnexported(record.Record{})); diff != "" {
		t.Errorf("1 worker (-) and 4 (+):\n%s", diff)
	}
}

// TestRehearsalOnCard: it knows what a trial takes of the card beside the
// host, and a trial that declares more than is free is refused.
func TestRehearsalOnCard(t *testing.T) {
	card, trials := onCard(t)
	parts := partsOf(t, trials[0])
	r := &Estimate{Trial: trials[0], Parts: parts, Device: card}
	if err := EstimateAll(context.Background(), []*Estimate{r}, 1, time.Millisecond, 1<<40, func() {}); err != nil || r.Err != nil {
		t.Fatal(err, r.Err)
	}
	if r.Seconds <= 0 || r.Bytes < 10_000 || r.Bytes > 100<<20 || r.Host <= 0 {
		t.Errorf("%+v", r.Cost)
	}
	m := newMemory(card)
	err := m.check(job{trial: trials[0], bytes: 1 << 50})
	if err == nil || !strings.Contains(err.Error(), "the card has ") {
		t.Errorf("%v, expected that the card has less", err)
	}
}

// TestFullCardFailsOne: a device that finds the card full fails by itself.
// Those beside it go on.
func TestFullCardFailsOne(t *testing.T) {
	card, trials := onCard(t)
	fill := func() (err error) {
		defer kernels.CatchFailure(&err)
		d, err := card.New(1)
		if err == nil {
			d.NewBuffer(1 << 44)
		}
		return err
	}
	const others = 3
	failed := make(chan error)
	for range others {
		go func() { failed <- fill() }()
	}
	dir := t.TempDir()
	r := Runner{Store: record.Store{Dir: dir}, Workers: 2, Device: card}
	sum, err := r.Run(context.Background(), trials[:2])
	if err != nil || sum.Finished != 2 {
		t.Errorf("beside devices that fail: %+v, %v", sum, err)
	}
	for range others {
		if err := <-failed; !errors.Is(err, kernels.ErrMemory) {
			t.Errorf("%v, expected ErrMemory", err)
		}
	}
}
