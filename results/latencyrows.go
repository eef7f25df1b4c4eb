package results

import (
	"fmt"
	"strings"

	"dgsbench/internal/optional"
	"dgsbench/results/record"
)

// LatencySplit is what latency rows say in the column split: the last events
// of the stream.
const LatencySplit = "last"

// quantiles are reported of every batch size; 1 is the largest time.
var quantiles = []struct {
	p    float64
	name string
}{{.5, "p50"}, {.9, "p90"}, {.99, "p99"}, {.999, "p99.9"}, {1, "max"}}

// LatencyRows are the numbers of latency tests, in the order of the records:
// latency_200x200, seconds an iteration with mean and deviation over
// iterations, then for each batch size the quantiles of a batch's time
// (latency_batch_200_p99) and the events a second (throughput_batch_200), then
// seconds of the headline as one graph (latency_200x200_graph). Failed tests
// have none.
func LatencyRows(s record.Store, records []record.Record) ([]Row, error) {
	var out []Row
	for _, r := range records {
		if r.Failed() {
			continue
		}
		all, err := latencyTimes(s, r)
		if err != nil {
			return nil, err
		}
		for i, t := range all {
			out = append(out, t.rows(r, i == 0)...)
		}
		graphs, err := graphTimes(s, r)
		if err != nil {
			return nil, err
		}
		for _, g := range graphs {
			if g.Error == "" {
				out = append(out, g.row(r))
			}
		}
	}
	return out, nil
}

// LatencyMetric is the name of the headline, such as latency_200x200.
func LatencyMetric(batches, batch int) string { return fmt.Sprintf("latency_%dx%d", batches, batch) }

func (t times) rows(r record.Record, headline bool) []Row {
	row := func(metric, unit string, value float64) Row { return timeRow(r, metric, unit, value, t.Iterations) }
	var out []Row
	if headline {
		first := row(LatencyMetric(t.Batches, t.Batch), "s", t.mean())
		first.Std = optional.Number(t.std())
		out = append(out, first)
	}
	for _, q := range quantiles {
		out = append(out, row(fmt.Sprintf("latency_batch_%d_%s", t.Batch, q.name), "s", t.quantile(q.p)))
	}
	return append(out, row(fmt.Sprintf("throughput_batch_%d", t.Batch), "events/s", t.rate()))
}

// row has a metric of its own: times of this mode stand in no column with
// those of streaming.
func (t graphTime) row(r record.Record) Row {
	metric := LatencyMetric(t.Batches, t.Batch) + "_" + strings.ReplaceAll(t.Mode, " ", "_")
	out := timeRow(r, metric, "s", t.mean(), t.Iterations)
	out.Std = optional.Number(t.std())
	return out
}

// timeRow is a number of a latency test, of so many iterations.
func timeRow(r record.Record, metric, unit string, value float64, iterations int) Row {
	return Row{
		CellKey: r.Key.CellKey, Split: LatencySplit, Device: r.Device, Metric: metric, Unit: unit,
		Mean: optional.Number(value), Std: optional.Absent(), N: iterations, CILow: optional.Absent(), CIHigh: optional.Absent(),
	}
}
