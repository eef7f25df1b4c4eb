package record

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

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
	// Warnings say what was not as it should be.
	Warnings []string `json:"warnings"`
	// Error says why there are no times.
	Error string `json:"error,omitempty"`
}

// Medians are the seconds of the iterations.
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

// Replays are the nanoseconds of every replay, iteration by iteration, under
// the mode.
type Replays map[string][]int64

func replaysArray(mode string) string { return strings.ReplaceAll(mode, " ", "_") + ".ns.npy" }

// checkReplays compares what the record says with what there is.
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

// Replays reads those of a latency test, none where it has no graphs.
func (s Store) Replays(r Record) (Replays, error) {
	if len(r.Latency.Graphs) == 0 {
		return nil, nil
	}
	archive, file, err := s.timesArchive(r)
	if err != nil {
		return nil, err
	}
	replays := Replays{}
	for _, g := range r.Latency.Graphs {
		if g.Error == "" {
			var ns []int64
			if err := readArray(archive, replaysArray(g.Mode), &ns, g.Iterations*g.Replays); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			replays[g.Mode] = ns
		}
	}
	if err := r.Latency.checkReplays(replays); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return replays, nil
}
