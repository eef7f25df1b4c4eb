package results

import (
	"fmt"
	"slices"
)

// graphModes are the columns of the table, with their titles.
var graphModes = []struct{ mode, title string }{
	{Graph, "one graph, inputs on the device"},
	{GraphWithCopies, "one graph, inputs copied"},
}

// graphs is a builder of the models that were measured as one graph.
func (b *latencyBuilder) graphs() *latencyBuilder {
	out := *b
	out.notes = notes{}
	out.rows = slices.DeleteFunc(slices.Clone(b.rows), func(r latencyRow) bool { return len(r.graphs) == 0 })
	return &out
}

// graphTable has the times of the headline as one graph.
func (b *latencyBuilder) graphTable() Table {
	first := b.first()
	g := first.graphs[0]
	title := fmt.Sprintf("Latency on %s, node classification, one graph: %d batches of %d events", b.dataset.Title, g.Batches, g.Batch)
	t := Table{Title: b.layout.titled(title), Name: b.dataset.ID + "-graph", Command: b.layout.Command, Source: b.layout.Source}
	t.Columns = []Column{{Head: "model"}}
	for _, m := range graphModes {
		t.Columns = append(t.Columns, Column{Group: m.title, Head: "ms"})
	}
	t.Columns[1].Notes = b.notes.refer(first.record.Footnotes...)
	t.Blocks = b.blocks(b.graphRow)
	t.Legend, t.Notes = b.circumstances(b.graphLegend()...), b.notes.texts
	return t
}

// graphRow has an entry for each mode.
func (b *latencyBuilder) graphRow(r latencyRow) TableRow {
	row := TableRow{{Text: r.head.Title}}
	for _, m := range graphModes {
		i := slices.IndexFunc(r.graphs, func(g graphTime) bool { return g.Mode == m.mode })
		if i < 0 {
			row = append(row, Entry{Text: noValue})
			continue
		}
		row = append(row, b.graphEntry(r, r.graphs[i]))
	}
	return row
}

func (b *latencyBuilder) graphEntry(r latencyRow, g graphTime) Entry {
	if g.Error != "" {
		return Entry{Text: noValue, Notes: b.notes.refer(g.Error)}
	}
	return Entry{
		Value: &Value{Mean: Number(1e3 * g.mean()), Std: Number(1e3 * g.std()), Low: Absent(), High: Absent(), Decimals: 3},
		Notes: b.notes.refer(append(b.ownFootnotes(r), g.Warnings...)...),
	}
}

// graphLegend says what these times are, and what they are not.
func (b *latencyBuilder) graphLegend() []string {
	out := []string{
		"one graph: all batches are known beforehand and submitted at once, as PyTorch's CUDA graph peer does; no batch has a time of its own (no p50)",
		"inputs on the device: they were copied there before the clock started; inputs copied: from the host, while the clock runs",
		WarmL2 + ": replays with the same inputs follow each other; before each the state is put back, outside the clock",
	}
	var replays []int // of an iteration
	iterations := 0
	for _, r := range b.rows {
		for _, g := range r.graphs {
			if g.Error == "" {
				replays, iterations = append(replays, g.Replays), g.Iterations
			}
		}
	}
	if len(replays) == 0 {
		return out
	}
	times := fmt.Sprint(slices.Max(replays))
	if fewest := slices.Min(replays); fewest < slices.Max(replays) {
		times = fmt.Sprintf("%d to %s", fewest, times)
	}
	return append(out, fmt.Sprintf("±: standard deviation over %d iterations (n-1), each the median of %s replays", iterations, times))
}
