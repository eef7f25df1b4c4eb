package results

import (
	"fmt"
	"slices"

	"dgsbench/internal/optional"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// graphModes are the columns of the table, with their titles.
var graphModes = []struct{ mode, title string }{
	{record.Graph, "one graph, inputs on the device"},
	{record.GraphWithCopies, "one graph, inputs copied"},
}

// graphs is a builder of the models that were measured as one graph.
func (b *latencyBuilder) graphs() *latencyBuilder {
	out := *b
	out.notes = table.Table{}
	out.rows = slices.DeleteFunc(slices.Clone(b.rows), func(r latencyRow) bool { return len(r.graphs) == 0 })
	return &out
}

// graphTable has the times of the headline as one graph.
func (b *latencyBuilder) graphTable() table.Table {
	first := b.first()
	g := first.graphs[0]
	title := fmt.Sprintf("Latency on %s, node classification, one graph: %d batches of %d events", b.dataset.Title, g.Batches, g.Batch)
	t := table.Table{
		Title: b.layout.titled(title), Name: b.dataset.ID + "-graph", Among: learnedModels, Command: b.layout.Command, Source: b.layout.Source,
	}
	t.Columns = []table.Column{{Head: "model"}}
	for _, m := range graphModes {
		t.Columns = append(t.Columns, table.Column{Group: m.title, Head: "ms"})
	}
	t.Columns[1].Notes = b.notes.Note(first.record.Footnotes...)
	t.Blocks = b.blocks(b.graphRow)
	t.Legend, t.Notes = b.circumstances(b.graphLegend()...), b.notes.Notes
	return t
}

// graphRow has an entry for each mode.
func (b *latencyBuilder) graphRow(r latencyRow) table.Row {
	row := table.Row{{Text: r.head.Title}}
	for _, m := range graphModes {
		i := slices.IndexFunc(r.graphs, func(g graphTime) bool { return g.Mode == m.mode })
		if i < 0 {
			row = append(row, table.Entry{Text: table.NoValue})
			continue
		}
		row = append(row, b.graphEntry(r, r.graphs[i]))
	}
	return row
}

func (b *latencyBuilder) graphEntry(r latencyRow, g graphTime) table.Entry {
	if g.Error != "" {
		return table.Entry{Text: table.NoValue, Notes: b.notes.Note(g.Error)}
	}
	return table.Entry{
		Value: &table.Value{Mean: optional.Number(1e3 * g.mean()), Std: optional.Number(1e3 * g.std()), Low: optional.Absent(), High: optional.Absent(), Decimals: 3},
		Notes: b.notes.Note(append(b.ownFootnotes(r), g.Warnings...)...),
	}
}

// graphLegend says what these times are, and what they are not.
func (b *latencyBuilder) graphLegend() []string {
	out := []string{
		"one graph: all batches are known beforehand and submitted at once, as PyTorch's CUDA graph peer does; no batch has a time of its own (no p50)",
		"inputs on the device: they were copied there before the clock started; inputs copied: from the host, while the clock runs",
		record.WarmL2 + ": replays with the same inputs follow each other; before each the state is put back, outside the clock",
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
