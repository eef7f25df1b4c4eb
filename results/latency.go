package results

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/results/record"
)

// latencySplit is the value of the column split in latency rows: the last
// events of the stream.
const latencySplit = "last"

// quantiles are reported of every batch size; 1 is the largest time.
var quantiles = []struct {
	p    float64
	name string
}{{.5, "p50"}, {.9, "p90"}, {.99, "p99"}, {.999, "p99.9"}, {1, "max"}}

// LatencyTest is a record with its times, none where the test failed.
type LatencyTest struct {
	record.Record
	model  ModelHead // in tables
	times  []times   // the headline first
	graphs []graphTimes

	isInside bool // times are those inside a process
}

// times are the samples of one batch size, in seconds.
type times struct {
	record.Timing
	iterations           // the sum of each
	batches    []float64 // ascending
	inside     *times    // what the process of the model measured itself, or nil
}

// graphTimes are the seconds of the headline as one graph, none where it
// failed.
type graphTimes struct {
	record.GraphTiming
	iterations
}

// iterations are the seconds of each.
type iterations []float64

func (i iterations) mean() float64 { return stat.Mean(i, nil) }
func (i iterations) std() float64  { return stat.StdDev(i, nil) } // n-1

// quantile returns the smallest time that a share p of the batches does not
// exceed.
func (t times) quantile(p float64) float64 { return stat.Quantile(p, stat.Empirical, t.batches, nil) }

// rate returns the events a second.
func (t times) rate() float64 { return float64(t.Batch*t.Batches) / t.mean() }

// ReadTimes reads the times of latency tests.
func ReadTimes(s record.Store, records []record.Record) ([]LatencyTest, error) {
	tests := make([]LatencyTest, len(records))
	for i, r := range records {
		test := &tests[i]
		if test.Record = r; r.Failed() {
			continue
		}
		recorded, err := s.Times(r)
		if err != nil {
			return nil, err
		}
		for _, timing := range r.Latency.Timings {
			t := newTimes(timing, recorded[timing.Array()])
			if timing.Inside {
				inside := newTimes(timing, recorded[timing.InsideArray()])
				t.inside = &inside
			}
			test.times = append(test.times, t)
		}
		for _, g := range r.Latency.Graphs {
			test.graphs = append(test.graphs, graphTimes{g, g.Medians(recorded[g.Array()])})
		}
	}
	return tests, nil
}

func newTimes(timing record.Timing, ns []int64) times {
	t := times{Timing: timing, batches: lists.Map(ns, func(ns int64) float64 { return float64(ns) / 1e9 })}
	for iteration := range slices.Chunk(t.batches, timing.Batches) {
		sum := 0.0
		for _, seconds := range iteration {
			sum += seconds
		}
		t.iterations = append(t.iterations, sum)
	}
	slices.Sort(t.batches)
	return t
}

// latencyMetric returns the name of the headline, such as latency_200x200.
func latencyMetric(batches, batch int) string { return fmt.Sprintf("latency_%dx%d", batches, batch) }

// LatencyRows returns the numbers of latency tests, in the order of the
// tests: latency_200x200, seconds an iteration with mean and deviation over
// iterations, then for each batch size the quantiles of a batch's time
// (latency_batch_200_p99) and the events a second (throughput_batch_200), then
// seconds of the headline as one graph (latency_200x200_graph). Of models in
// another process there are also times inside it (latency_200x200_inside,
// latency_batch_200_p50_inside). Failed tests have none.
func LatencyRows(tests []LatencyTest) []Row {
	var out []Row
	for _, test := range tests {
		add := func(metric, unit string, value, std float64, iterations int) {
			out = append(out, Row{
				CellKey: test.Key.CellKey, Split: latencySplit, Device: test.Device, Metric: metric, Unit: unit,
				Mean: optional.Number(value), Std: optional.Number(std), N: iterations, CILow: optional.Absent(), CIHigh: optional.Absent(),
			})
		}
		none := float64(optional.Absent())
		for i, t := range test.times {
			if i == 0 {
				add(latencyMetric(t.Batches, t.Batch), "s", t.mean(), t.std(), t.Iterations)
			}
			for _, q := range quantiles {
				add(fmt.Sprintf("latency_batch_%d_%s", t.Batch, q.name), "s", t.quantile(q.p), none, t.Iterations)
			}
			add(fmt.Sprintf("throughput_batch_%d", t.Batch), "events/s", t.rate(), none, t.Iterations)
			if t.inside != nil {
				add(fmt.Sprintf("latency_batch_%d_p50_inside", t.Batch), "s", t.inside.quantile(.5), none, t.Iterations)
			}
			if t.inside != nil && i == 0 {
				add(latencyMetric(t.Batches, t.Batch)+"_inside", "s", t.inside.mean(), t.inside.std(), t.Iterations)
			}
		}
		for _, g := range test.graphs {
			if g.Error == "" { // a metric of its own: these times are not compared with those of streaming
				metric := latencyMetric(g.Batches, g.Batch) + "_" + g.Array()
				add(metric, "s", g.mean(), g.std(), g.Iterations)
			}
		}
	}
	return out
}
