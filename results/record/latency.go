package record

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dgsbench/internal/optional"

	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/stat"
)

// Streaming is the mode in which each batch is known only when the one before
// it has been answered.
const Streaming = "streaming"

// Known is the mode in which all batches are known before the first one is
// answered. Its one answer holds all of their events.
const Known = "whole stream known in advance"

// Latency is what a latency test adds to a record. Its samples are in the
// sidecar.
type Latency struct {
	// Run identifies the run by the time of its start (RFC 3339, UTC):
	// times are compared within a run alone.
	Run  string `json:"run"`
	Mode string `json:"mode"`
	// Load is how many processes wanted a core when the run started (the
	// average of a minute); absent where the system does not provide it.
	Load    optional.Number `json:"load"`
	Timings []Timing        `json:"timings"` // the headline first
	// Graphs are what a device that can record gives beside them.
	Graphs []GraphTiming `json:"graphs,omitempty"`
}

// Timing is what was measured with one batch size: Iterations times the same
// Batches batches.
type Timing struct {
	Batch      int `json:"batch"` // events
	Batches    int `json:"batches"`
	Iterations int `json:"iterations"`
	// Histogram is an HdrHistogram of the batches' nanoseconds (V2,
	// compressed, base64), with three significant digits.
	Histogram string `json:"histogram"`
	// FirstCall is the time of the model's very first answer, which is not
	// among the samples; seconds.
	FirstCall float64 `json:"first_call"`
	// Warnings are about disturbances of the timed part.
	Warnings []string `json:"warnings"`
}

// The modes in which all batches of the headline are known in advance and
// submitted at once, as one graph: from inputs that are on the device, or with
// the copies of all inputs in the graph.
const (
	Graph           = "graph"
	GraphWithCopies = "graph with copies"
)

// WarmL2 is what a device's cache holds when the clock starts: replays follow
// each other with the same inputs.
const WarmL2 = "warm L2"

// GraphTiming is what was measured of the headline in one of these modes. No
// batch has a time of its own.
type GraphTiming struct {
	Mode       string `json:"mode"`
	Batch      int    `json:"batch"` // events
	Batches    int    `json:"batches"`
	Iterations int    `json:"iterations"`
	// Replays are those of one iteration, whose time is their median. Before
	// each of them, outside the clock, the state is put back.
	Replays int    `json:"replays"`
	Cache   string `json:"cache"` // WarmL2
	// Warnings are about disturbances.
	Warnings []string `json:"warnings"`
	// Error is why there are no times.
	Error string `json:"error,omitempty"`
}

// Medians returns the seconds of the iterations.
func (t GraphTiming) Medians(ns []int64) []float64 {
	var out []float64
	for some := range slices.Chunk(ns, max(1, t.Replays)) {
		sorted := make([]float64, len(some))
		for i, n := range some {
			sorted[i] = float64(n) / 1e9
		}
		slices.Sort(sorted)
		out = append(out, stat.Quantile(.5, stat.Empirical, sorted, nil))
	}
	return out
}

// Samples are the nanoseconds of every batch, iteration by iteration, by the
// batch size.
type Samples map[int][]int64

// Replays are the nanoseconds of every replay, iteration by iteration, by the
// mode.
type Replays map[string][]int64

func samplesArray(batch int) string   { return fmt.Sprintf("batch_%d.ns.npy", batch) }
func replaysArray(mode string) string { return strings.ReplaceAll(mode, " ", "_") + ".ns.npy" }

// WriteLatency puts a latency test's samples and replays and then its record
// in place, as Write does.
func (s Store) WriteLatency(r Record, samples Samples, replays Replays) (Record, error) {
	if err := r.checkPlace(); err != nil {
		return r, fmt.Errorf("record of %s: %w", r.Key, err)
	}
	r.Scores = nil
	if r.Failed() {
		return s.put(r, nil)
	}
	if err := r.Latency.checkSamples(samples); err != nil {
		return r, fmt.Errorf("samples of %s: %w", r.Key, err)
	}
	if err := r.Latency.checkReplays(replays); err != nil {
		return r, fmt.Errorf("replays of %s: %w", r.Key, err)
	}
	var out bytes.Buffer // the same bytes for the same times
	w := npz.NewWriter(&out)
	for _, batch := range slices.Sorted(maps.Keys(samples)) {
		if err := w.Write(samplesArray(batch), samples[batch]); err != nil {
			return r, err
		}
	}
	for _, mode := range slices.Sorted(maps.Keys(replays)) {
		if err := w.Write(replaysArray(mode), replays[mode]); err != nil {
			return r, err
		}
	}
	if err := w.Close(); err != nil {
		return r, err
	}
	return s.put(r, out.Bytes())
}

// checkSamples compares the samples with the record.
func (l *Latency) checkSamples(samples Samples) error {
	if l == nil || len(l.Timings) == 0 || len(l.Timings) != len(samples) {
		return fmt.Errorf("%d batch sizes do not fit the record", len(samples))
	}
	for _, t := range l.Timings {
		if got := len(samples[t.Batch]); got == 0 || got != t.Batches*t.Iterations {
			return fmt.Errorf("%d samples of batches of %d, expected %d x %d", got, t.Batch, t.Iterations, t.Batches)
		}
	}
	return nil
}

// checkReplays compares the replays with the record.
func (l *Latency) checkReplays(replays Replays) error {
	finished := 0
	for _, g := range l.Graphs {
		if g.Error != "" {
			continue
		}
		finished++
		if got := len(replays[g.Mode]); got == 0 || got != g.Replays*g.Iterations {
			return fmt.Errorf("%s: %d, expected %d x %d", g.Mode, got, g.Iterations, g.Replays)
		}
	}
	if finished != len(replays) {
		return fmt.Errorf("%d modes do not fit the record", len(replays))
	}
	return nil
}

// Samples reads those of a latency test.
func (s Store) Samples(r Record) (Samples, error) {
	samples := Samples{}
	return samples, s.readTimes(r, func(archive *npz.Reader) error {
		for _, t := range r.Latency.Timings {
			var ns []int64
			if err := readArray(archive, samplesArray(t.Batch), &ns, t.Batches*t.Iterations); err != nil {
				return err
			}
			samples[t.Batch] = ns
		}
		return r.Latency.checkSamples(samples)
	})
}

// Replays reads those of a latency test, none where it has no graphs.
func (s Store) Replays(r Record) (Replays, error) {
	if len(r.Latency.Graphs) == 0 {
		return nil, nil
	}
	replays := Replays{}
	return replays, s.readTimes(r, func(archive *npz.Reader) error {
		for _, g := range r.Latency.Graphs {
			if g.Error != "" {
				continue
			}
			var ns []int64
			if err := readArray(archive, replaysArray(g.Mode), &ns, g.Iterations*g.Replays); err != nil {
				return err
			}
			replays[g.Mode] = ns
		}
		return r.Latency.checkReplays(replays)
	})
}

// readTimes calls read with the sidecar of a latency test.
func (s Store) readTimes(r Record, read func(*npz.Reader) error) error {
	data, file, err := s.sidecar(r)
	if err != nil {
		return err
	}
	archive, err := npz.NewReader(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		err = read(archive)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// LatestRun returns, of each dataset, the records of the run that started last:
// times of different runs are not compared. left counts the others.
func LatestRun(records []Record) (latest []Record, left int) {
	newest := map[string]string{}
	for _, r := range records {
		if r.Latency != nil {
			newest[r.Key.Dataset] = max(newest[r.Key.Dataset], r.Latency.Run)
		}
	}
	latest = slices.DeleteFunc(slices.Clone(records), func(r Record) bool {
		return r.Latency == nil || r.Latency.Run != newest[r.Key.Dataset]
	})
	return latest, len(records) - len(latest)
}
