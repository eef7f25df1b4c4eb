package harness

import (
	"context"
	"testing"

	"dgsbench/kernels/devices"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/specs"

	"github.com/google/go-cmp/cmp"
)

// TestReplayAnswersAsTest: a replay that answers the test part in the batches of a
// trial has the trial's facts, and the same again when it has been taken back.
func TestReplayAnswersAsTest(t *testing.T) {
	trials := suiteTrials(t, `name: replayed
title: Replayed
protocol: {batch: 30, epochs: 1, candidates: [destinations], test_state: replay}
runs:
  - {task: nc, datasets: [shop-sim@0.333], models: [label-rate, user-count, dgs]}
  - {task: nc, datasets: [transfers-sim@0.2], models: [label-rate], protocol: {label_delay: 90000}}
  - {task: lp, settings: [T], datasets: [shop-sim@0.333], models: [recency-pop, jodie], protocol: {filter: same_src_t}}
`)
	for _, trial := range trials {
		t.Run(string(trial.Task)+" "+trial.Ref()+" "+trial.Dataset, func(t *testing.T) {
			parts := partsOf(t, trial)
			if trial.Task == protocol.LinkPrediction { // or the filter has nothing to leave out
				for k := range parts.Test.Time {
					parts.Test.Time[k] = parts.Test.Time[k-k%40]
				}
			}
			run, err := newRun(trial, parts, devices.Target{}, 1, func() {})
			if err == nil {
				err = run.do(context.Background())
			}
			if err != nil {
				t.Fatal(err)
			}
			var want metrics.Facts
			for _, f := range run.facts {
				if f.part.Split == protocol.Test {
					want = f.facts
				}
			}
			want.Days = nil // of events as they are, not repeated
			first, events := parts.Test.EventID(0), parts.Test.Len()
			trial.Protocol.Live = specs.DefaultLive()
			replay, err := NewReplay(context.Background(), trial, parts, devices.Target{}, 1, "")
			for _, to := range []int{parts.Val.EventID(0), first} { // where windows begin anew
				if err == nil {
					err = replay.Observe(context.Background(), to)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			start := replay.Mark()
			replay.Keep(first, events)
			for pass := range 2 {
				for replay.At() < first+events {
					if err := replay.Answer(min(trial.Protocol.Batch, first+events-replay.At())); err != nil {
						t.Fatal(err)
					}
				}
				var got metrics.Facts
				replay.AppendFacts(&got, first, first+events)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("pass %d: facts of the trial (-) and of the replay (+):\n%.1500s", pass, diff)
				}
				if err := replay.Rewind(start); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
