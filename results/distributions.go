package results

import (
	"fmt"
	"slices"

	"dgsbench/results/figure"
)

// distributions draws, a panel for each size of batches, the share of the batches
// that every model finished within a time.
func (b *latencyTables) distributions() ([]figure.Figure, error) {
	var sizes []int
	for _, test := range b.tests {
		for _, t := range test.times {
			sizes = appendNew(sizes, t.Batch)
		}
	}
	slices.Sort(sizes)
	var panels []figure.Panel
	for _, n := range sizes {
		of := "single events"
		if n > 1 {
			of = fmt.Sprintf("batches of %d events", n)
		}
		p := figure.Panel{
			Group: b.dataset.ID, Title: panelTitle(b.dataset, b.first.Footnotes) + ", " + of,
			X: figure.Axis{Label: "time of a batch, logarithmic", Scale: figure.Times}, Y: figure.Axis{Label: "batches finished within the time (%)", Max: 100},
		}
		for _, test := range b.tests {
			if t, ok := test.batchOf(n); ok {
				p.Series = append(p.Series, b.lineOf(test.model, t.shares()))
			}
		}
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return nil, nil
	}
	columns := min(2, len(panels))
	f, err := figure.Draw(figure.Size{Width: pageWidth / 2, Height: 9}, columns, panels)
	f.Name, f.Title = b.name(b.dataset.ID), "Latency on "+b.dataset.Title+": distribution of the time of a batch"
	f.Caption = "Share of the batches of all iterations that were answered within a time: a line further left is faster, a steeper one steadier. " +
		"Times are those of one run. Made by: " + b.Command
	return []figure.Figure{f}, err
}

// shares returns the per cent of the batches that took a time, in nanoseconds, or
// less: every hundredth, and more where the slowest are.
func (t times) shares() (points []figure.Point) {
	const fewest = 1 // nanosecond: the axis is logarithmic
	add := func(percent float64) {
		points = append(points, figure.At(max(fewest, 1e9*t.quantile(percent/100)), percent))
	}
	for percent := range 100 {
		add(float64(percent))
	}
	for _, percent := range []float64{99.5, 99.9, 100} {
		add(percent)
	}
	return points
}
