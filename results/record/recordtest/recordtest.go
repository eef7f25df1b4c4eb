// Package recordtest has made up records for the tests of record and of what is
// made of records.
package recordtest

import (
	"encoding/json"
	"strings"
	"testing"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// Identity is that of Trial.
const Identity = "0123456789abcdef0123456789abcdef"

// Trial returns a finished trial of a learned model.
func Trial(task protocol.Task, setting protocol.Setting, model string, seed uint64) record.Record {
	return record.Record{
		Key: record.Key{
			CellKey: record.CellKey{Suite: "made-up", Dataset: "mooc", Task: task, Setting: setting, Model: model},
			Seed:    seed,
		},
		Identity: Identity, Numerics: 2, Origins: json.RawMessage(`{"alpha": {"origin": "default"}}`), Spec: json.RawMessage(`{"alpha": 0.5, "seed": ` + string('0'+rune(seed)) + `}`),
		DataChecksum: "feed", CodeVersion: "v0", Machine: "a machine", Device: "cpu", Threads: 2,
		ModelClass: protocol.Learned, ModelTitle: "A model", DatasetTitle: "MOOC", PaperName: "MOOC", NumParams: 7,
		Footnotes: []string{"simulated data"}, BestEpoch: 1,
		Epochs:    []record.Epoch{{Loss: 0.7, Validation: optional.Absent(), Seconds: 1.5}, {Loss: 0.6, Validation: 0.25}},
		Durations: record.Durations{Train: 3, Test: 1, Total: 4},
	}
}

func scores(values ...float32) metrics.Facts {
	f := metrics.Facts{Score: values, Label: make([]int8, len(values))}
	for k := range f.Label {
		f.Label[k] = int8(k%3) - 1
	}
	return f
}

// Classified returns what a trial of node classification observed.
func Classified() record.Observed {
	return record.Observed{
		{Split: protocol.Validation}: scores(1, 2, 3, 4, 2, 1, 7),
		{Split: protocol.Test}:       scores(0.5, -1, 3, 3, 1, 0, 2, 2, 4),
	}
}

// Ranking returns what a trial of link prediction observed.
func Ranking() record.Observed {
	o := record.Observed{}
	for i, split := range []protocol.Split{protocol.Validation, protocol.Test} {
		for j, candidates := range []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations} {
			k := int32(2*i + j)
			o[record.Part{Split: split, Candidates: candidates}] = metrics.Facts{
				Greater: []int32{k, 9, 0, 3}, Equal: []int32{0, 1, k, 20},
			}
		}
	}
	return o
}

// Write puts a trial into a store.
func Write(t *testing.T, s record.Store, r record.Record, c record.Contents) record.Record {
	t.Helper()
	r, err := s.Write(r, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Latency returns one of a run, with two iterations of two batches of 100 and
// of single events.
func Latency(model, run string) (record.Record, record.Times) {
	r := record.Record{
		Key:        record.Key{CellKey: record.CellKey{Suite: "latency", Dataset: "wikipedia-sim", Task: "nc", Model: model}},
		Identity:   strings.Repeat("a", 64),
		ModelClass: protocol.Learned, ModelTitle: model, PaperName: "Wikipedia", Device: "cpu", Threads: 2, Machine: "a machine", NumParams: 7,
		Latency: &record.Latency{Run: run, Mode: record.Streaming, Load: 1.5, Timings: []record.Timing{
			{Batch: 100, Batches: 2, Iterations: 2, Warnings: []string{}},
			{Batch: 1, Batches: 3, Iterations: 2, Warnings: []string{"something"}},
		}},
	}
	return r, record.Times{"batch_100": {1e6, 3e6, 2e6, 4e6}, "batch_1": {1000, 2000, 3000, 4000, 5000, 60000}}
}

// WriteLatency puts Latency into a store.
func WriteLatency(t *testing.T, s record.Store, model, run string) record.Record {
	t.Helper()
	r, times := Latency(model, run)
	return Write(t, s, r, times)
}

// Graphs returns a Latency with both modes of a graph, in iterations of three
// replays; in the second one the first iteration is slow.
func Graphs(model string) (record.Record, record.Times) {
	r, times := Latency(model, "1")
	timing := record.GraphTiming{Mode: record.Graph, Batch: 100, Batches: 2, Iterations: 2, Replays: 3, Cache: record.WarmL2}
	copied := timing
	copied.Mode, copied.Warnings = record.GraphWithCopies, []string{"something"}
	r.Latency.Graphs = []record.GraphTiming{timing, copied}
	times[timing.Array()], times[copied.Array()] = []int64{1e6, 9e6, 2e6, 3e6, 4e6, 3e6}, []int64{5e6, 5e6, 5e6, 4e6, 4e6, 4e6}
	return r, times
}
