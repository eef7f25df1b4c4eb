package page

import (
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dgsbench/internal/lists"
	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// latencies draws the histograms of latency tests on a dataset: a grid of charts
// for each batch size, one chart a model.
func latencies(p Page, dataset string) ([]part, error) {
	var out []part
	for _, cells := range p.byPlace(dataset) {
		timings, err := readTimings(cells)
		if err != nil {
			return nil, err
		}
		for _, same := range lists.GroupBy(timings, func(t timing) int { return t.Batch }) {
			out = append(out, drawHistograms(same))
		}
	}
	return out, nil
}

// timing is what was measured of a cell with one batch size.
type timing struct {
	seeds
	record.Timing
	histogram *hdrhistogram.Histogram // of nanoseconds
}

// readTimings reads the histograms of the cells' records.
func readTimings(cells []seeds) ([]timing, error) {
	var out []timing
	for _, c := range cells {
		for _, r := range c.records {
			if r.Latency == nil {
				continue
			}
			for _, t := range r.Latency.Timings {
				h, err := hdrhistogram.Decode([]byte(t.Histogram))
				if err != nil {
					return nil, fmt.Errorf("%s: histogram of batches of %d: %w", r.Key.Path(r.Identity), t.Batch, err)
				}
				out = append(out, timing{c, t, h})
			}
		}
	}
	return out, nil
}

// drawHistograms draws those of one place and batch size.
func drawHistograms(timings []timing) part {
	first := timings[0]
	out := part{
		ID:    table.Identifier("latency", placeID(first.key()), fmt.Sprint(first.Batch)),
		Title: "Latency, batches of " + results.Count(first.Batch, "event"), Note: results.Count(len(timings), "model"), Open: true,
		Texts: []string{"How long an answer to a batch took, over all batches of all iterations, from the histograms in the records (three digits). " +
			"The time axis is logarithmic, and the same for all models. Times are compared within a run alone."},
	}
	across := figure.Axis{Min: math.Inf(1), Scale: figure.Times}
	for _, t := range timings {
		across.Min, across.Max = min(across.Min, float64(max(1, t.histogram.Min()))), max(across.Max, float64(t.histogram.Max()))
	}
	across.Min, across.Max = across.Min/1.1, across.Max*1.1
	numbers := table.New("model", "batches", "min", "p50", "p90", "p99", "p99.9", "max")
	numbers.Name, numbers.Title = out.ID+"-numbers", out.Title+" on "+first.key().Dataset+": milliseconds a batch"
	for _, t := range timings {
		out.Charts = append(out.Charts, chart{t.title(), t.draw(across)})
		ms := func(percent float64) string { return number(float64(t.histogram.ValueAtQuantile(percent)) / 1e6) }
		numbers.Add(t.heading(), t.histogram.TotalCount(), number(float64(t.histogram.Min())/1e6),
			ms(50), ms(90), ms(99), ms(99.9), number(float64(t.histogram.Max())/1e6))
	}
	out.Folded = []folded{{Summary: "The same as a table", Tables: []table.Table{numbers}}}
	return out
}

func (t timing) draw(across figure.Axis) figure.Chart {
	boxes := t.bins(across)
	highest := 0.0
	for _, b := range boxes {
		highest = max(highest, b.Y.High)
	}
	h := t.histogram
	return figure.Chart{
		ID: table.Identifier("latency", t.id(), fmt.Sprint(t.Batch)), Title: t.heading(),
		Description: "Histogram of the time of a batch, on a logarithmic axis.",
		Summary: fmt.Sprintf("Median %s, 99%% within %s, all within %s, over %d batches.", figure.Duration(float64(h.ValueAtQuantile(50))),
			figure.Duration(float64(h.ValueAtQuantile(99))), figure.Duration(float64(h.Max())), h.TotalCount()),
		Panels: []figure.Panel{{
			Title: "% of batches", X: across, Y: figure.Axis{Max: highest},
			Series: []figure.Series{{Class: "bars", Mark: figure.Box, Points: boxes}},
		}},
	}
}

// bins returns the shares, in per cent, of the batches by time, in bins of the
// same width on the axis.
func (t timing) bins(across figure.Axis) []figure.Point {
	const numBins = 60
	counts := make([]int64, numBins)
	for _, b := range t.histogram.Distribution() {
		if b.Count > 0 {
			middle := (float64(b.From) + float64(b.To)) / 2
			counts[min(numBins-1, int(numBins*across.Share(max(middle, across.Min))))] += b.Count
		}
	}
	edge := func(i int) float64 { return across.Min * math.Pow(across.Max/across.Min, float64(i)/numBins) }
	var out []figure.Point
	for i, n := range counts {
		if n > 0 {
			out = append(out, figure.Point{
				X: figure.Value{Low: edge(i), High: edge(i + 1)}, Y: figure.Value{High: 100 * float64(n) / float64(t.histogram.TotalCount())},
			})
		}
	}
	return out
}
