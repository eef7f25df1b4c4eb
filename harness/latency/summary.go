package latency

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"dgsbench/harness"
	"dgsbench/internal/optional"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Summary is what bench latency --json prints of a run. Times are seconds.
type Summary struct {
	Machine string          `json:"machine"`
	Code    string          `json:"code"`
	Threads int             `json:"threads"`
	Seed    uint64          `json:"seed"` // of the order of turns
	Models  []ModelSummary  `json:"models"`
	Load    optional.Number `json:"load"`
}

// ModelSummary is one model on one dataset. It has timings or an error.
type ModelSummary struct {
	Dataset string          `json:"dataset"`
	Model   string          `json:"model"` // id or id+variant
	Title   string          `json:"title"`
	Mode    string          `json:"mode"`
	Params  int             `json:"params"`
	Error   string          `json:"error,omitempty"`
	Timings []TimingSummary `json:"timings"` // the headline first, graphs last
}

// TimingSummary is one batch size, or the headline as a graph, which has the times
// of whole iterations, but no quantiles over all batches.
type TimingSummary struct {
	Mode         string    `json:"mode"`
	Batch        int       `json:"batch"`
	Batches      int       `json:"batches"`
	Iterations   []float64 `json:"iterations"`
	P50          float64   `json:"p50,omitzero"`
	P90          float64   `json:"p90,omitzero"`
	P99          float64   `json:"p99,omitzero"`
	P999         float64   `json:"p99.9,omitzero"`
	Max          float64   `json:"max,omitzero"`
	EventsSecond float64   `json:"events_per_second,omitzero"`
	Histogram    string    `json:"histogram,omitempty"`
	FirstCall    float64   `json:"first_call,omitzero"`
	Replays      int       `json:"replays,omitzero"` // of an iteration of a graph, whose time is their median
	Cache        string    `json:"cache,omitempty"`  // of a graph's device, before a replay
	Warnings     []string  `json:"warnings"`
	Error        string    `json:"error,omitempty"` // of a graph
}

// NewSummary summarises what was measured by a plan.
func NewSummary(p Plan, all []Measured) Summary {
	r := Summary{Machine: harness.Machine(p.Device), Code: harness.CodeVersion(), Threads: p.Threads, Seed: p.Seed, Load: optional.Absent()}
	for _, m := range all {
		k := m.Record.Key
		r.Load = m.Record.Latency.Load
		out := ModelSummary{
			Dataset: k.Dataset, Model: specs.JoinRef(k.Model, k.Variant), Title: m.Record.ModelTitle,
			Mode: m.Record.Latency.Mode, Params: m.Record.NumParams, Error: m.Record.Error,
		}
		if !m.Record.Failed() {
			for _, t := range m.Record.Latency.Timings {
				out.Timings = append(out.Timings, newTimingSummary(out.Mode, t, m.Times[t.Array()]))
			}
			for _, g := range m.Record.Latency.Graphs {
				out.Timings = append(out.Timings, TimingSummary{
					Mode: g.Mode, Batch: g.Batch, Batches: g.Batches, Iterations: g.Medians(m.Times[g.Array()]),
					Replays: g.Replays, Cache: g.Cache, Warnings: g.Warnings, Error: g.Error,
				})
			}
		}
		r.Models = append(r.Models, out)
	}
	return r
}

func newTimingSummary(mode string, t record.Timing, ns []int64) TimingSummary {
	sorted := seconds(ns)
	slices.Sort(sorted)
	at := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, sorted, nil) }
	out := TimingSummary{
		Mode: mode, Batch: t.Batch, Batches: t.Batches, Histogram: t.Histogram, FirstCall: t.FirstCall, Warnings: t.Warnings,
		P50: at(.5), P90: at(.9), P99: at(.99), P999: at(.999), Max: at(1),
	}
	for chunk := range slices.Chunk(ns, t.Batches) {
		out.Iterations = append(out.Iterations, total(observation{samples: chunk}))
	}
	out.EventsSecond = float64(t.Batch*t.Batches) / stat.Mean(out.Iterations, nil)
	return out
}

// Failed counts the models that failed, if only as a graph.
func (r Summary) Failed() (n int) {
	for _, m := range r.Models {
		if m.Error != "" || slices.ContainsFunc(m.Timings, func(t TimingSummary) bool { return t.Error != "" }) {
			n++
		}
	}
	return n
}
