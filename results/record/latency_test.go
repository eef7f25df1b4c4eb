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
	_, times := recordtest.Latency("dgs", "1")
	all, incomplete, err := s.Load("latency")
	if err != nil || len(all) != 1 || len(incomplete) != 0 {
		t.Fatal(all, incomplete, err)
	}
	if diff := cmp.Diff(want.Latency, all[0].Latency); diff != "" {
		t.Errorf("written (-) and read (+):\n%s", diff)
	}
	got, err := s.Times(all[0])
	if diff := cmp.Diff(times, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	files, err := filepath.Glob(filepath.Join(s.Dir, "latency", "*", "*", "*", "*.npz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("something else"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Times(all[0]); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("a damaged sidecar: %v", err)
	}
}

// TestLatencyRecordsThatDoNotFit are refused.
func TestLatencyRecordsThatDoNotFit(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	for name, spoil := range map[string]func(*record.Record, record.Times){
		"no timings":     func(r *record.Record, _ record.Times) { r.Latency.Timings = nil },
		"no latency":     func(r *record.Record, _ record.Times) { r.Latency = nil },
		"a sample less":  func(_ *record.Record, times record.Times) { times["batch_100"] = times["batch_100"][1:] },
		"another batch":  func(r *record.Record, _ record.Times) { r.Latency.Timings[1].Batch = 2 },
		"one batch more": func(_ *record.Record, times record.Times) { times["batch_7"] = []int64{1} },
	} {
		r, times := recordtest.Latency("dgs", "1")
		spoil(&r, times)
		if _, err := s.Write(r, times); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestReplaysThatDoNotFit the record are refused.
func TestReplaysThatDoNotFit(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	for want, change := range map[string]func(*record.Record, record.Times){
		"graph: 5 times, expected 2 x 3": func(_ *record.Record, all record.Times) { all[record.Graph] = all[record.Graph][1:] },
		"graph: 0 times, expected 2 x 3": func(_ *record.Record, all record.Times) { delete(all, record.Graph) },
		"4 arrays of times do not fit":   func(r *record.Record, _ record.Times) { r.Latency.Graphs[0].Error = "failed" },
	} {
		r, times := recordtest.Graphs("dgs")
		change(&r, times)
		if _, err := s.Write(r, times); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
