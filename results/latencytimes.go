package results

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"dgsbench/results/record"
)

// times are the samples of one batch size, in seconds.
type times struct {
	record.Timing
	iterations []float64 // the sum of each
	sorted     []float64 // every batch, ascending
}

func newTimes(t record.Timing, ns []int64) times {
	out := times{Timing: t}
	for chunk := range slices.Chunk(ns, t.Batches) {
		sum := 0.0
		for _, n := range chunk {
			sum += float64(n) / 1e9
			out.sorted = append(out.sorted, float64(n)/1e9)
		}
		out.iterations = append(out.iterations, sum)
	}
	slices.Sort(out.sorted)
	return out
}

// quantile is the smallest time that a share p of the batches does not
// exceed.
func (t times) quantile(p float64) float64 { return stat.Quantile(p, stat.Empirical, t.sorted, nil) }

func (t times) mean() float64 { return stat.Mean(t.iterations, nil) }

// std is over iterations (n-1).
func (t times) std() float64 { return stat.StdDev(t.iterations, nil) }

// rate is events a second.
func (t times) rate() float64 { return float64(t.Batch*t.Batches) / t.mean() }

// latencyTimes reads the samples of a record, the headline first.
func latencyTimes(s record.Store, r record.Record) ([]times, error) {
	samples, err := s.Samples(r)
	if err != nil {
		return nil, err
	}
	var out []times
	for _, t := range r.Latency.Timings {
		out = append(out, newTimes(t, samples[t.Batch]))
	}
	return out, nil
}

// graphTime is a GraphTiming with the seconds of its iterations, none where it
// failed.
type graphTime struct {
	record.GraphTiming
	iterations []float64
}

// graphTimes reads the replays of a record.
func graphTimes(s record.Store, r record.Record) ([]graphTime, error) {
	replays, err := s.Replays(r)
	if err != nil {
		return nil, err
	}
	var out []graphTime
	for _, g := range r.Latency.Graphs {
		out = append(out, graphTime{g, g.Medians(replays[g.Mode])})
	}
	return out, nil
}

func (t graphTime) mean() float64 { return stat.Mean(t.iterations, nil) }

// std is over iterations (n-1).
func (t graphTime) std() float64 { return stat.StdDev(t.iterations, nil) }
