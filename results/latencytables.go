package results

import (
	"fmt"
	"slices"
	"strconv"

	"dgsbench/internal/lists"
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

// latencyOutput makes, for every dataset with records, the speed table with the figure
// of all times, the table of the batch sizes and that of graphs, as far as these were
// measured. All
// records of a dataset must be of one run.
func latencyOutput(r request) (out Output, err error) {
	l := r.layout(r.Latency)
	for _, d := range l.Datasets {
		var tests []LatencyTest
		for _, m := range l.Models {
			test, ok := lists.Find(r.Timed, func(t LatencyTest) bool {
				return t.Key.Dataset == d.ID && t.Key.Model == m.ID && t.Key.Variant == m.Variant
			})
			if test.model = m; ok {
				tests = append(tests, test)
			}
		}
		if len(tests) == 0 {
			continue
		}
		b := newLatencyTables(r, d, tests)
		for _, t := range tests {
			if t.Latency != nil && t.Latency.Mode != b.mode {
				return out, fmt.Errorf("latency of %s: %s is %s, and another one %s: they would share a cell of the table",
					d.ID, t.Key, t.Latency.Mode, b.mode)
			}
		}
		out.Tables = append(out.Tables, b.speeds())
		drawn, err := b.distributions()
		if err != nil {
			return out, err
		}
		out.Figures = append(out.Figures, drawn...)
		if len(b.first.times) > 1 {
			out.Tables = append(out.Tables, b.batchSizes())
		}
		if tests = slices.DeleteFunc(tests, func(t LatencyTest) bool { return len(t.graphs) == 0 }); len(tests) > 0 {
			out.Tables = append(out.Tables, newLatencyTables(r, d, tests).graphs())
		}
	}
	addLeftOut(out.Tables, r.EarlierRuns)
	return out, nil
}

// addLeftOut says how many records of earlier runs are not in the tables.
func addLeftOut(tables []table.Table, records int) {
	if records > 0 {
		line := fmt.Sprintf("%d records of earlier runs are left out: times are compared within a run alone", records)
		for i := range tables {
			tables[i].Legend = append(tables[i].Legend, line)
		}
	}
}

// latencyTables makes the tables of one dataset.
type latencyTables struct {
	request
	dataset DatasetHead
	tests   []LatencyTest // at least one
	first   LatencyTest   // that was measured, or the first of all
	mode    string        // of the run
}

func newLatencyTables(r request, d DatasetHead, tests []LatencyTest) *latencyTables {
	i := slices.IndexFunc(tests, func(t LatencyTest) bool { return len(t.times) > 0 })
	b := latencyTables{r, d, tests, tests[max(0, i)], record.Streaming}
	if b.first.Latency != nil {
		b.mode = b.first.Latency.Mode
	}
	return &b
}

// headline returns the time of the headline, if it was measured.
func (t LatencyTest) headline() (times, bool) {
	if len(t.times) == 0 {
		return times{}, false
	}
	return t.times[0], true
}

// batchOf returns the time of a batch size, if it was measured.
func (t LatencyTest) batchOf(events int) (times, bool) {
	return lists.Find(t.times, func(t times) bool { return t.Batch == events })
}

// grid returns a table about the dataset with the column of models.
func (b *latencyTables) grid(name, title string) *grid[LatencyTest] {
	r := b.request
	r.Title = "Latency on " + b.dataset.Title + ", " + title
	t := &grid[LatencyTest]{Table: r.table()}
	t.Name = b.name(b.dataset.ID + name)
	t.add(table.Column{Head: "model"}, func(test LatencyTest) table.Entry { return table.Entry{Text: test.model.Title} })
	return t
}

// speeds returns the paper's table with what it leaves out: the distribution
// over batches, and single events.
func (b *latencyTables) speeds() table.Table {
	first := b.first
	what, manyBatches := "no model was measured", true
	legend := []string{b.mode + ": " + modes[b.mode]}
	if headline, ok := first.headline(); ok {
		manyBatches = headline.Batches > 1
		what = fmt.Sprintf("%d events", headline.Batch)
		if manyBatches {
			what = fmt.Sprintf("%d batches of %d events", headline.Batches, headline.Batch)
		}
		legend = append(legend, fmt.Sprintf("±: standard deviation over %d iterations (n-1)", headline.Iterations))
	}
	t := b.grid("", "node classification, "+b.mode+": "+what)
	ours := table.Column{Kind: table.Measured, Metric: "seconds", Head: "seconds", Notes: t.Note(first.Footnotes...)}
	t.add(ours, func(test LatencyTest) table.Entry {
		e := table.Entry{Notes: b.testNotes(&t.Table, test)}
		if headline, ok := test.headline(); ok {
			e.Value, e.Unranked = seconds(headline), test.isInside
		}
		return e
	})
	if first.PaperName != "" {
		paper := table.Column{Kind: table.Published, Metric: "latency", Head: paperHead + " s"}
		t.add(paper, func(test LatencyTest) table.Entry {
			if headline, ok := test.headline(); ok && latencyMetric(headline.Batches, headline.Batch) == paperTest {
				return paperTime(test.model, test.PaperName, &t.Table)
			}
			return table.Entry{}
		})
	}
	// Quantiles of all batches of the headline, and of single events.
	addQuantile := func(group, head string, p, unit float64, decimals int, of func(LatencyTest) (times, bool)) {
		t.add(table.Column{Group: group, Head: head}, func(test LatencyTest) table.Entry {
			measured, ok := of(test)
			if !ok {
				return text("")
			}
			return text(table.Fixed(unit*measured.quantile(p), decimals))
		})
	}
	for _, q := range quantiles {
		if manyBatches && q.p != .999 {
			addQuantile("a batch", q.name+" ms", q.p, 1e3, 3, LatencyTest.headline)
		}
	}
	if single, ok := first.batchOf(1); ok {
		for _, q := range quantiles {
			if q.p != .9 && q.p != 1 {
				addQuantile("single events", q.name+" us", q.p, 1e6, 2, func(test LatencyTest) (times, bool) { return test.batchOf(1) })
			}
		}
		legend = append(legend, fmt.Sprintf("single events: %d times the first %d of them", single.Iterations, single.Batches))
	}
	if first.PaperName != "" {
		legend = append(legend, "paper: "+paperTimes)
	}
	return b.ranked(t, legend)
}

// rows returns the tests, and after one of a model in another process what the process
// itself measured.
func (b *latencyTables) rows() (out []LatencyTest) {
	for _, test := range b.tests {
		out = append(out, test)
		if headline, ok := test.headline(); ok && headline.inside != nil {
			test.isInside, test.times = true, insides(test.times)
			test.model.Title += ", inside"
			test.graphs, test.Footnotes = nil, nil
			out = append(out, test)
		}
	}
	return out
}

// insides returns what a process measured of batches itself, of each size.
func insides(all []times) (out []times) {
	for _, t := range all {
		if t.inside != nil {
			out = append(out, *t.inside)
		}
	}
	return out
}

// ranked fills the table with a block for each class of models; the best learned
// ones by the second column are marked.
func (b *latencyTables) ranked(t *grid[LatencyTest], legend []string) table.Table {
	t.Among = learnedModels
	t.addClasses(b.rows(), func(test LatencyTest) protocol.Class { return test.model.Class }, func(rows []table.Row) {
		table.MarkBest(rows, 1, false)
	})
	t.Legend = b.legend(legend...)
	return t.Table
}

// testNotes adds the footnotes about one model alone.
func (b *latencyTables) testNotes(t *table.Table, test LatencyTest) []int {
	texts := without(test.Footnotes, b.first.Footnotes)
	for _, timing := range test.times {
		for _, w := range timing.Warnings {
			texts = append(texts, fmt.Sprintf("batches of %d: %s", timing.Batch, w))
		}
	}
	return append(t.KeyNote(test.Error), t.Note(texts...)...)
}

// batchSizes has the median time of an answer and the events a second, by the
// size of batches.
func (b *latencyTables) batchSizes() table.Table {
	t := b.grid("-batches", "by the number of events in a batch: median ms | thousand events/s")
	t.add(table.Column{Head: "parameters"}, func(test LatencyTest) table.Entry { return table.Entry{Text: strconv.Itoa(test.NumParams)} })
	sizes := lists.Map(b.first.times, func(t times) int { return t.Batch })
	slices.Sort(sizes)
	for i, n := range sizes {
		t.add(table.Column{Group: "events in a batch", Head: strconv.Itoa(n)}, func(test LatencyTest) table.Entry {
			e := text("")
			if timing, ok := test.batchOf(n); ok {
				e.Text = table.Fixed(1e3*timing.quantile(.5), 3) + " | " + table.Fixed(timing.rate()/1e3, 0)
			}
			if i == 0 {
				e.Notes = b.testNotes(&t.Table, test)
			}
			return e
		})
	}
	t.Columns[2].Notes = t.Note(b.first.Footnotes...)
	t.addBlock(b.rows()...)
	t.Legend = b.legend(b.mode + ": " + modes[b.mode])
	return t.Table
}

// graphs has the times of the headline as one graph.
func (b *latencyTables) graphs() table.Table {
	g := b.first.graphs[0]
	t := b.grid("-graph", fmt.Sprintf("node classification, one graph: %d batches of %d events", g.Batches, g.Batch))
	for _, mode := range graphModes {
		t.add(table.Column{Group: mode.title, Head: "ms"}, func(test LatencyTest) table.Entry {
			g, ok := lists.Find(test.graphs, func(g graphTimes) bool { return g.Mode == mode.mode })
			if !ok || g.Error != "" {
				return table.Entry{Text: table.NoValue, Notes: t.Note(g.Error)}
			}
			v := table.NewValue(1e3*g.mean(), 3)
			v.Std = optional.Number(1e3 * g.std())
			return table.Entry{Value: v, Notes: t.Note(append(without(test.Footnotes, b.first.Footnotes), g.Warnings...)...)}
		})
	}
	t.Columns[1].Notes = t.Note(b.first.Footnotes...)
	return b.ranked(t, b.graphLegend())
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
	r := b.first
	if len(b.rows()) > len(b.tests) {
		lines = append(lines, "inside: what the process of a model measured around its calls; the row before has the pipe, too, and is the one that is ranked")
	}
	lines = append(lines, r.Machine, fmt.Sprintf("%d threads, %s", r.Threads, r.Device))
	if r.Latency != nil {
		if r.Latency.Load.Present() {
			lines = append(lines, fmt.Sprintf("load %.1f when the run started", float64(r.Latency.Load)))
		}
		lines = append(lines, "run of "+r.Latency.Run)
	}
	return lines
}
