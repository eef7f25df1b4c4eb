package page

import (
	"fmt"
	"html/template"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dgsbench/results/record"
	"dgsbench/results/table"
)

// latencies draws the histograms of latency tests: a grid of charts for each
// dataset and batch size, one chart a model.
func latencies(p Page) (section, error) {
	s := section{
		ID: "latency", Title: "Latency histograms",
		Intro: "How long an answer to a batch took, over all batches of all iterations, from the histograms in the records (three digits). " +
			"The time axis is logarithmic, and the same for all models of a dataset and batch size. Times are compared within a run alone.",
	}
	for _, cells := range p.byPlace() {
		timed, err := readHistograms(cells)
		if err != nil {
			return s, err
		}
		for _, same := range groups(timed, func(t timing) int { return t.Batch }) {
			drawn, err := drawHistograms(p, same)
			if err != nil {
				return s, err
			}
			s.Parts = append(s.Parts, drawn)
		}
	}
	return s, nil
}

// timing is what was measured of a cell with one batch size.
type timing struct {
	cell
	record.Timing
	histogram *hdrhistogram.Histogram // of nanoseconds
}

// readHistograms are those of the cells' records.
func readHistograms(cells []cell) ([]timing, error) {
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

// numBins is how many bars a histogram has.
const numBins = 60

// drawHistograms draws those of one place and batch size.
func drawHistograms(p Page, timed []timing) (part, error) {
	at := timed[0].place()
	events := count(timed[0].Batch, "event")
	out := part{ID: identifier("latency", at.id(), fmt.Sprint(timed[0].Batch)), Title: at.dataset + ", batches of " + events}
	across := axis{min: math.Inf(1), times: true}
	for _, t := range timed {
		across.min, across.max = min(across.min, float64(max(1, t.histogram.Min()))), max(across.max, float64(t.histogram.Max()))
	}
	across.min, across.max = across.min/1.1, across.max*1.1
	numbers := table.Table{
		Name: out.ID + "-numbers", Title: "Histograms, " + out.Title + ": milliseconds a batch",
		Columns: columns("model", "batches", "min", "p50", "p90", "p99", "p99.9", "max"), Blocks: make([][]table.Row, 1),
	}
	for _, t := range timed {
		out.Charts = append(out.Charts, t.draw(p, across))
		row := []string{t.heading(p), fmt.Sprint(t.histogram.TotalCount())}
		for _, ns := range []int64{t.histogram.Min(), t.at(50), t.at(90), t.at(99), t.at(99.9), t.histogram.Max()} {
			row = append(row, number(float64(ns)/1e6))
		}
		numbers.Blocks[0] = append(numbers.Blocks[0], words(row...))
	}
	table, err := render(numbers)
	out.Folded = []folded{{"The same as a table", []template.HTML{table}}}
	return out, err
}

func (t timing) at(percent float64) int64 { return t.histogram.ValueAtQuantile(percent) }

func (t timing) draw(p Page, across axis) chart {
	c := newChart(identifier("latency", t.id(), fmt.Sprint(t.Batch)), t.heading(p), "% of batches")
	c.Drawn = "Histogram of the time of a batch, on a logarithmic axis."
	c.Says = fmt.Sprintf("Median %s, 99%% within %s, all within %s, over %d batches.",
		duration(float64(t.at(50))), duration(float64(t.at(99))), duration(float64(t.histogram.Max())), t.histogram.TotalCount())
	bars := t.bins(across)
	highest := 0.0
	for _, b := range bars {
		highest = max(highest, b.height)
	}
	c.Panes[0].axes(across, axis{max: highest})
	c.Panes[0].bars("bars", bars)
	return c
}

// bins are the shares, in per cent, of the batches by time, in bins of the
// same width on the axis.
func (t timing) bins(across axis) []bar {
	counts := make([]int64, numBins)
	for _, b := range t.histogram.Distribution() {
		if b.Count > 0 {
			middle := (float64(b.From) + float64(b.To)) / 2
			counts[min(numBins-1, int(numBins*across.share(max(middle, across.min))))] += b.Count
		}
	}
	var out []bar
	edge := func(i int) float64 { return across.min * math.Pow(across.max/across.min, float64(i)/numBins) }
	for i, n := range counts {
		if n > 0 {
			out = append(out, bar{edge(i), edge(i + 1), 100 * float64(n) / float64(t.histogram.TotalCount())})
		}
	}
	return out
}
