package record

import (
	"cmp"
	"fmt"
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
	Timings []Timing        `json:"timings"`          // the headline first
	Graphs  []GraphTiming   `json:"graphs,omitempty"` // what a device that can record gives beside them
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
	FirstCall float64  `json:"first_call"`
	Warnings  []string `json:"warnings"` // about disturbances of the timed part
	// Inside says that the model is a process that has measured the batches, too,
	// without the way to it and back: InsideArray has these times.
	Inside bool `json:"inside,omitempty"`
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
	Replays  int      `json:"replays"`
	Cache    string   `json:"cache"`           // WarmL2
	Warnings []string `json:"warnings"`        // about disturbances
	Error    string   `json:"error,omitempty"` // why there are no times
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

// Times are the nanoseconds of a latency test by the names of their arrays:
// those of every batch (Timing.Array, Timing.InsideArray) and of every replay (GraphTiming.Array),
// iteration by iteration.
type Times map[string][]int64

// Array returns the name of the times of the batches.
func (t Timing) Array() string { return fmt.Sprintf("batch_%d", t.Batch) }

// InsideArray returns the name of the times of the batches inside the process.
func (t Timing) InsideArray() string { return t.Array() + "_inside" }

// Array returns the name of the times of the replays.
func (t GraphTiming) Array() string { return strings.ReplaceAll(t.Mode, " ", "_") }

// timesArray names an array of a latency test's sidecar and has its size:
// iterations, and times in each.
type timesArray struct {
	name             string
	iterations, each int
}

func (a timesArray) file() string { return a.name + ".ns.npy" }

// arrays lists the arrays of the sidecar: batches by size, then graphs by mode.
func (l *Latency) arrays() []timesArray {
	var out []timesArray
	for _, t := range slices.SortedFunc(slices.Values(l.Timings), func(a, b Timing) int { return cmp.Compare(a.Batch, b.Batch) }) {
		out = append(out, timesArray{t.Array(), t.Iterations, t.Batches})
		if t.Inside {
			out = append(out, timesArray{t.InsideArray(), t.Iterations, t.Batches})
		}
	}
	for _, g := range slices.SortedFunc(slices.Values(l.Graphs), func(a, b GraphTiming) int { return cmp.Compare(a.Mode, b.Mode) }) {
		if g.Error == "" {
			out = append(out, timesArray{g.Array(), g.Iterations, g.Replays})
		}
	}
	return out
}

// check compares the times with the record.
func (t Times) check(arrays []timesArray) error {
	for _, a := range arrays {
		if n := len(t[a.name]); n == 0 || n != a.iterations*a.each {
			return fmt.Errorf("%s: %d times, expected %d x %d", a.name, n, a.iterations, a.each)
		}
	}
	if len(t) != len(arrays) {
		return fmt.Errorf("%d arrays of times do not fit the record, which has %d", len(t), len(arrays))
	}
	return nil
}

func (t Times) encode(r Record, w *npz.Writer) error {
	if r.Latency == nil {
		return fmt.Errorf("times of a trial that is no latency test")
	}
	arrays := r.Latency.arrays()
	if err := t.check(arrays); err != nil {
		return err
	}
	for _, a := range arrays {
		if err := w.Write(a.file(), t[a.name]); err != nil {
			return err
		}
	}
	return nil
}

func (t Times) decode(r Record, archive *npz.Reader) error {
	arrays := r.Latency.arrays()
	for _, a := range arrays {
		var ns []int64
		if err := readArray(archive, a.file(), &ns, a.iterations*a.each); err != nil {
			return err
		}
		t[a.name] = ns
	}
	return t.check(arrays)
}

func (Times) scores(Record) []Score { return nil }

// Run returns that of a latency or a live test, else "".
func (r Record) Run() string {
	switch {
	case r.Latency != nil:
		return r.Latency.Run
	case r.Live != nil:
		return r.Live.Run
	}
	return ""
}

// LatestRun returns, of each dataset and case, the records of the run that started
// last: times of different runs are not compared. left counts the others.
func LatestRun(records []Record) (latest []Record, left int) {
	type place struct{ dataset, name string }
	at := func(r Record) place { return place{r.Key.Dataset, r.Key.Case} }
	newest := map[place]string{}
	for _, r := range records {
		newest[at(r)] = max(newest[at(r)], r.Run())
	}
	latest = slices.DeleteFunc(slices.Clone(records), func(r Record) bool {
		return r.Run() == "" || r.Run() != newest[at(r)]
	})
	return latest, len(records) - len(latest)
}
