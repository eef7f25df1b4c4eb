package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
)

// TestLatencyRecord: what is written can be read, and damage is noticed.
func TestLatencyRecord(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	want := recordtest.WriteLatency(t, s, "dgs", "1")
	_, samples := recordtest.Latency("dgs", "1")
	all, incomplete, err := s.Load("latency")
	if err != nil || len(all) != 1 || len(incomplete) != 0 {
		t.Fatal(all, incomplete, err)
	}
	if diff := cmp.Diff(want.Latency, all[0].Latency); diff != "" {
		t.Errorf("written (-) and read (+):\n%s", diff)
	}
	got, err := s.Samples(all[0])
	if diff := cmp.Diff(samples, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	files, err := filepath.Glob(filepath.Join(s.Dir, "latency", "*", "*", "*", "*.npz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("something else"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Samples(all[0]); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("a damaged sidecar: %v", err)
	}
}

// TestLatencyRecordsThatDoNotFit are refused.
func TestLatencyRecordsThatDoNotFit(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	for name, spoil := range map[string]func(*record.Record, record.Samples){
		"no timings":     func(r *record.Record, _ record.Samples) { r.Latency.Timings = nil },
		"no latency":     func(r *record.Record, _ record.Samples) { r.Latency = nil },
		"a sample less":  func(_ *record.Record, samples record.Samples) { samples[100] = samples[100][1:] },
		"another batch":  func(r *record.Record, _ record.Samples) { r.Latency.Timings[1].Batch = 2 },
		"one batch more": func(_ *record.Record, samples record.Samples) { samples[7] = []int64{1} },
	} {
		r, samples := recordtest.Latency("dgs", "1")
		spoil(&r, samples)
		if _, err := s.WriteLatency(r, samples, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestReplaysThatDoNotFit the record are refused.
func TestReplaysThatDoNotFit(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	for want, change := range map[string]func(*record.Record, record.Replays){
		"graph: 5, expected 2 x 3": func(_ *record.Record, all record.Replays) { all[record.Graph] = all[record.Graph][1:] },
		"graph: 0, expected 2 x 3": func(_ *record.Record, all record.Replays) { delete(all, record.Graph) },
		"2 modes do not fit":       func(r *record.Record, _ record.Replays) { r.Latency.Graphs[0].Error = "failed" },
	} {
		r, samples, replays := recordtest.Graphs("dgs")
		change(&r, replays)
		if _, err := s.WriteLatency(r, samples, replays); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
