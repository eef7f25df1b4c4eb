package record

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"dgsbench/internal/optional"

	"github.com/sbinet/npyio/npz"
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
	// Run says which run measured it, by the time of its start (RFC 3339, UTC):
	// times are compared within a run alone.
	Run  string `json:"run"`
	Mode string `json:"mode"`
	// Load is how many processes wanted a core when the run started (the
	// average of a minute); absent where the system does not say.
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
	// Warnings say what was not as it should be in the timed part.
	Warnings []string `json:"warnings"`
}

// Samples are the nanoseconds of every batch, iteration by iteration, under
// the batch size.
type Samples map[int][]int64

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
	if err := r.Latency.check(samples); err != nil {
		return r, fmt.Errorf("samples of %s: %w", r.Key, err)
	}
	if err := r.Latency.checkReplays(replays); err != nil {
		return r, fmt.Errorf("replays of %s: %w", r.Key, err)
	}
	data, err := encodeTimes(samples, replays)
	if err != nil {
		return r, err
	}
	return s.put(r, data)
}

// check compares what the record says with what there is.
func (l *Latency) check(samples Samples) error {
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

// Samples reads the sidecar of a latency test.
func (s Store) Samples(r Record) (Samples, error) {
	archive, file, err := s.timesArchive(r)
	if err != nil {
		return nil, err
	}
	samples := Samples{}
	for _, t := range r.Latency.Timings {
		var some []int64
		if err := readArray(archive, samplesArray(t.Batch), &some, t.Batches*t.Iterations); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		samples[t.Batch] = some
	}
	if err := r.Latency.check(samples); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return samples, nil
}

// timesArchive opens the sidecar of a latency test.
func (s Store) timesArchive(r Record) (archive *npz.Reader, file string, err error) {
	data, file, err := s.sidecar(r)
	if err != nil {
		return nil, file, err
	}
	if archive, err = npz.NewReader(bytes.NewReader(data), int64(len(data))); err != nil {
		return nil, file, fmt.Errorf("%s: %w", file, err)
	}
	return archive, file, nil
}

func samplesArray(batch int) string { return fmt.Sprintf("batch_%d.ns.npy", batch) }

// encodeTimes is the archive: the same bytes for the same times.
func encodeTimes(s Samples, r Replays) ([]byte, error) {
	var out bytes.Buffer
	w := npz.NewWriter(&out)
	for _, batch := range slices.Sorted(maps.Keys(s)) {
		if err := w.Write(samplesArray(batch), s[batch]); err != nil {
			return nil, err
		}
	}
	for _, mode := range slices.Sorted(maps.Keys(r)) {
		if err := w.Write(replaysArray(mode), r[mode]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
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
