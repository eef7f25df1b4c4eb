package results

import (
	"fmt"
	"slices"
	"strconv"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// modes explain the modes of latency tests.
var modes = map[string]string{
	record.Streaming: "a batch is known only when the one before it has been answered",
	record.Known:     "all events are answered at once; states advance batch by batch all the same",
}

// graphModes are the columns of the table of graphs, with their titles.
var graphModes = []struct{ mode, title string }{
	{record.Graph, "one graph, inputs on the device"},
	{record.GraphWithCopies, "one graph, inputs copied"},
}

// paperTimes explains the paper's column of seconds.
const paperTimes = "on an RTX 2080 Ti, with layers of the sizes that a search chose"

// LatencyTables are, for every dataset with records, the speed table, that of
// the batch sizes and that of graphs, as far as these were measured. All
// records of a dataset must be of one run.
func LatencyTables(s record.Store, records []record.Record, l Layout) ([]table.Table, error) {
	var out []table.Table
	for _, d := range l.Datasets {
		b := latencyTables{layout: l, dataset: d}
		for _, m := range l.Models {
			i := slices.IndexFunc(records, func(r record.Record) bool {
				return r.Key.Dataset == d.ID && r.Key.Model == m.ID && r.Key.Variant == m.Variant
			})
			if i < 0 {
				continue
			}
			test, err := readTest(s, records[i])
			if err != nil {
				return nil, err
			}
			b.models, b.tests = append(b.models, m), append(b.tests, test)
			if mode := b.mode(); test.Latency != nil && test.Latency.Mode != mode {
				return nil, fmt.Errorf("latency of %s: %s is %s, and another one %s: they would share a cell of the table",
					d.ID, test.Key, test.Latency.Mode, mode)
			}
		}
		if len(b.tests) == 0 {
			continue
		}
		out = append(out, b.speeds())
		if len(b.first().times) > 1 {
			out = append(out, b.batchSizes())
		}
		if b.graphsOnly(); len(b.tests) > 0 {
			out = append(out, b.graphs())
		}
	}
	return out, nil
}

// latencyTables makes the tables of one dataset.
type latencyTables struct {
	layout  Layout
	dataset DatasetHead
	models  []ModelHead
	tests   []latencyTest // of each model
}

// graphsOnly drops the models that were not measured as one graph.
func (b *latencyTables) graphsOnly() {
	models, tests := b.models, b.tests
	b.models, b.tests = nil, nil
	for i, t := range tests {
		if len(t.graphs) > 0 {
			b.models, b.tests = append(b.models, models[i]), append(b.tests, t)
		}
	}
}

// first returns a model that was measured, or the first one.
func (b *latencyTables) first() latencyTest {
	i := slices.IndexFunc(b.tests, func(t latencyTest) bool { return len(t.times) > 0 })
	return b.tests[max(0, i)]
}

// mode returns the mode of the run.
func (b *latencyTables) mode() string {
	if l := b.first().Latency; l != nil {
		return l.Mode
	}
	return record.Streaming
}

// batchOf returns the time of a batch size, if it was measured.
func (t latencyTest) batchOf(events int) (times, bool) {
	i := slices.IndexFunc(t.times, func(t times) bool { return t.Batch == events })
	if i < 0 {
		return times{}, false
	}
	return t.times[i], true
}

// table returns an empty table about the dataset.
func (b *latencyTables) table(name, title string, columns ...table.Column) table.Table {
	t := b.layout.table("Latency on "+b.dataset.Title+", "+title, "model")
	t.Name, t.Columns = b.dataset.ID+name, append(t.Columns, columns...)
	return t
}

// speeds returns the paper's table with what it leaves out: the distribution
// over batches, and single events.
func (b *latencyTables) speeds() table.Table {
	first := b.first()
	what, manyBatches := "no model was measured", true
	var legend []string
	if len(first.times) > 0 {
		headline := first.times[0]
		manyBatches = headline.Batches > 1
		what = fmt.Sprintf("%d events", headline.Batch)
		if manyBatches {
			what = fmt.Sprintf("%d batches of %d events", headline.Batches, headline.Batch)
		}
		legend = []string{fmt.Sprintf("±: standard deviation over %d iterations (n-1)", headline.Iterations)}
	}
	t := b.table("", "node classification, "+b.mode()+": "+what, table.Column{Kind: table.Measured, Metric: "seconds", Head: "seconds"})
	t.Among = learnedModels
	t.Columns[1].Notes = t.Note(first.Footnotes...)
	if first.PaperName != "" {
		t.Columns = append(t.Columns, table.Column{Kind: table.Published, Metric: "latency", Head: paperHead + " s"})
	}
	// Quantiles of all batches of the headline, and of single events.
	type quantile struct {
		p, unit  float64
		decimals int
		times    func(latencyTest) (times, bool)
	}
	var shown []quantile
	if manyBatches {
		for _, q := range quantiles {
			if q.p != .999 {
				t.Columns = append(t.Columns, table.Column{Group: "a batch", Head: q.name + " ms"})
				shown = append(shown, quantile{q.p, 1e3, 3, func(t latencyTest) (times, bool) { return t.times[0], true }})
			}
		}
	}
	if single, ok := first.batchOf(1); ok {
		for _, q := range quantiles {
			if q.p != .9 && q.p != 1 {
				t.Columns = append(t.Columns, table.Column{Group: "single events", Head: q.name + " us"})
				shown = append(shown, quantile{q.p, 1e6, 2, func(t latencyTest) (times, bool) { return t.batchOf(1) }})
			}
		}
		legend = append(legend, fmt.Sprintf("single events: %d times the first %d of them", single.Iterations, single.Batches))
	}
	if first.PaperName != "" {
		legend = append(legend, "paper: "+paperTimes)
	}
	b.addRows(&t, func(m ModelHead, test latencyTest) table.Row {
		row := table.Row{{Text: m.Title}, {Notes: b.testNotes(&t, test)}}
		if len(test.times) > 0 {
			row[1].Value = seconds(test.times[0])
		}
		if first.PaperName != "" {
			paper := table.Entry{}
			if len(test.times) > 0 && LatencyMetric(test.times[0].Batches, test.times[0].Batch) == paperTest {
				paper = paperTime(m, test.PaperName, &t)
			}
			row = append(row, paper)
		}
		for _, q := range shown {
			text := table.NoValue
			if len(test.times) > 0 {
				if measured, ok := q.times(test); ok {
					text = table.Fixed(q.unit*measured.quantile(q.p), q.decimals)
				}
			}
			row = append(row, table.Entry{Text: text})
		}
		return row
	})
	t.Legend = b.legend(append([]string{b.mode() + ": " + modes[b.mode()]}, legend...)...)
	return t
}

// addRows adds a block for each class; the best learned models by the second
// column are marked.
func (b *latencyTables) addRows(t *table.Table, row func(ModelHead, latencyTest) table.Row) {
	for _, class := range []protocol.Class{protocol.Learned, protocol.ZeroParameter, protocol.Oracle} {
		var rows []table.Row
		for i, m := range b.models {
			if m.Class == class {
				rows = append(rows, row(m, b.tests[i]))
			}
		}
		if len(rows) == 0 {
			continue
		}
		if class == protocol.Learned {
			table.MarkBest(rows, 1, false)
		}
		t.Blocks = append(t.Blocks, rows)
	}
}

// testNotes adds the footnotes about one model alone.
func (b *latencyTables) testNotes(t *table.Table, test latencyTest) []int {
	texts := append(without(test.Footnotes, b.first().Footnotes), test.Error)
	for _, timing := range test.times {
		for _, w := range timing.Warnings {
			texts = append(texts, fmt.Sprintf("batches of %d: %s", timing.Batch, w))
		}
	}
	return t.Note(texts...)
}

// batchSizes has the median time of an answer and the events a second, by the
// size of batches.
func (b *latencyTables) batchSizes() table.Table {
	t := b.table("-batches", "by the number of events in a batch: median ms | thousand events/s", table.Column{Head: "parameters"})
	var sizes []int
	for _, timing := range b.first().times {
		sizes = append(sizes, timing.Batch)
	}
	slices.Sort(sizes)
	for _, n := range sizes {
		t.Columns = append(t.Columns, table.Column{Group: "events in a batch", Head: strconv.Itoa(n)})
	}
	t.Columns[2].Notes = t.Note(b.first().Footnotes...)
	for i, test := range b.tests {
		row := table.NewRow(b.models[i].Title, strconv.Itoa(test.NumParams))
		for _, n := range sizes {
			text := table.NoValue
			if timing, ok := test.batchOf(n); ok {
				text = table.Fixed(1e3*timing.quantile(.5), 3) + " | " + table.Fixed(timing.rate()/1e3, 0)
			}
			row = append(row, table.Entry{Text: text})
		}
		row[2].Notes = b.testNotes(&t, test)
		t.AddRow(row)
	}
	t.Legend = b.legend(b.mode() + ": " + modes[b.mode()])
	return t
}

// graphs has the times of the headline as one graph.
func (b *latencyTables) graphs() table.Table {
	first := b.first()
	g := first.graphs[0]
	t := b.table("-graph", fmt.Sprintf("node classification, one graph: %d batches of %d events", g.Batches, g.Batch))
	t.Among = learnedModels
	for _, m := range graphModes {
		t.Columns = append(t.Columns, table.Column{Group: m.title, Head: "ms"})
	}
	t.Columns[1].Notes = t.Note(first.Footnotes...)
	b.addRows(&t, func(m ModelHead, test latencyTest) table.Row {
		row := table.Row{{Text: m.Title}}
		for _, mode := range graphModes {
			e := table.Entry{Text: table.NoValue}
			i := slices.IndexFunc(test.graphs, func(g graphTimes) bool { return g.Mode == mode.mode })
			switch {
			case i < 0:
			case test.graphs[i].Error != "":
				e.Notes = t.Note(test.graphs[i].Error)
			default:
				g := test.graphs[i]
				e = table.Entry{Value: table.NewValue(1e3*g.mean(), 3)}
				e.Notes = t.Note(append(without(test.Footnotes, first.Footnotes), g.Warnings...)...)
				e.Value.Std = optional.Number(1e3 * g.std())
			}
			row = append(row, e)
		}
		return row
	})
	t.Legend = b.legend(b.graphLegend()...)
	return t
}

// graphLegend explains these times.
func (b *latencyTables) graphLegend() []string {
	out := []string{
		"one graph: all batches are known beforehand and submitted at once, as PyTorch's CUDA graph peer does; " +
			"no batch has a time of its own (no p50)",
		"inputs on the device: they were copied there before the clock started; inputs copied: from the host, while the clock runs",
		record.WarmL2 + ": replays with the same inputs follow each other; before each the state is put back, outside the clock",
	}
	var replays []int // of an iteration
	iterations := 0
	for _, t := range b.tests {
		for _, g := range t.graphs {
			if g.Error == "" {
				replays, iterations = append(replays, g.Replays), g.Iterations
			}
		}
	}
	if len(replays) == 0 {
		return out
	}
	number := fmt.Sprint(slices.Max(replays))
	if fewest := slices.Min(replays); fewest < slices.Max(replays) {
		number = fmt.Sprintf("%d to %s", fewest, number)
	}
	return append(out, fmt.Sprintf("±: standard deviation over %d iterations (n-1), each the median of %s replays", iterations, number))
}

// legend adds the circumstances of the run to the lines of a table.
func (b *latencyTables) legend(lines ...string) []string {
	r := b.first()
	lines = append(lines, r.Machine, fmt.Sprintf("%d threads, %s", r.Threads, r.Device))
	if r.Latency != nil {
		if r.Latency.Load.Present() {
			lines = append(lines, fmt.Sprintf("load %.1f when the run started", float64(r.Latency.Load)))
		}
		lines = append(lines, "run of "+r.Latency.Run)
	}
	return lines
}
