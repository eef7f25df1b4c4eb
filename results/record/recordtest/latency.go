package recordtest

import (
	"strings"
	"testing"

	"dgsbench/protocol"
	"dgsbench/results/record"
)

// Latency is one of a run, with two iterations of two batches of 100
// and of single events.
func Latency(model, run string) (record.Record, record.Samples) {
	r := record.Record{
		Key:        record.Key{CellKey: record.CellKey{Suite: "latency", Dataset: "wikipedia-sim", Task: "nc", Model: model}},
		Identity:   strings.Repeat("a", 64),
		ModelClass: protocol.Learned, ModelTitle: model, PaperName: "Wikipedia", Device: "cpu", Threads: 2, Machine: "a machine", NumParams: 7,
		Latency: &record.Latency{Run: run, Mode: record.Streaming, Load: 1.5, Timings: []record.Timing{
			{Batch: 100, Batches: 2, Iterations: 2, Warnings: []string{}},
			{Batch: 1, Batches: 3, Iterations: 2, Warnings: []string{"something"}},
		}},
	}
	return r, record.Samples{100: {1e6, 3e6, 2e6, 4e6}, 1: {1000, 2000, 3000, 4000, 5000, 60000}}
}

// WriteLatency puts Latency into a store.
func WriteLatency(t *testing.T, s record.Store, model, run string) record.Record {
	t.Helper()
	r, samples := Latency(model, run)
	r, err := s.WriteLatency(r, samples, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Graphs is a Latency with both modes of a graph, in iterations of
// three replays; in the second one the first iteration is slow.
func Graphs(model string) (record.Record, record.Samples, record.Replays) {
	r, samples := Latency(model, "1")
	timing := record.GraphTiming{Mode: record.Graph, Batch: 100, Batches: 2, Iterations: 2, Replays: 3, Cache: record.WarmL2}
	copied := timing
	copied.Mode, copied.Warnings = record.GraphWithCopies, []string{"something"}
	r.Latency.Graphs = []record.GraphTiming{timing, copied}
	return r, samples, record.Replays{
		record.Graph:           {1e6, 9e6, 2e6, 3e6, 4e6, 3e6},
		record.GraphWithCopies: {5e6, 5e6, 5e6, 4e6, 4e6, 4e6},
	}
}
