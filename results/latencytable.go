package results

import (
	"fmt"
	"slices"
	"strconv"

	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// modes say what the modes mean.
var modes = map[string]string{
	record.Streaming: "a batch is known only when the one before it has been answered",
	record.Known:     "all events are answered at once; states advance batch by batch all the same",
}

// LatencyTables are, for every dataset with records, the speed table, that of
// the batch sizes and that of graphs, as far as these were measured. All records of a dataset must be of one run.
func LatencyTables(s record.Store, records []record.Record, l Layout) ([]table.Table, error) {
	var out []table.Table
	for _, d := range l.Datasets {
		b := latencyBuilder{layout: l, dataset: d}
		for _, m := range l.Models {
			if err := b.add(s, records, m); err != nil {
				return nil, err
			}
		}
		if len(b.rows) > 0 {
			out = append(out, b.speed())
		}
		if len(b.rows) > 0 && len(b.first().times) > 1 {
			out = append(out, b.sweep())
		}
		if g := b.graphs(); len(g.rows) > 0 {
			out = append(out, g.graphTable())
		}
	}
	return out, nil
}

// latencyBuilder makes the tables of one dataset.
type latencyBuilder struct {
	layout  Layout
	dataset DatasetHead
	rows    []latencyRow
	notes   table.Table
}

// latencyRow is a model with what was measured of it; no times where it
// failed.
type latencyRow struct {
	head   ModelHead
	record record.Record
	times  []times
	graphs []graphTime
}

func (b *latencyBuilder) add(s record.Store, records []record.Record, m ModelHead) error {
	i := slices.IndexFunc(records, func(r record.Record) bool {
		k := r.Key
		return k.Dataset == b.dataset.ID && k.Model == m.ID && k.Variant == m.Variant
	})
	if i < 0 {
		return nil
	}
	row := latencyRow{head: m, record: records[i]}
	if !row.record.Failed() {
		var err error
		if row.times, err = latencyTimes(s, row.record); err != nil {
			return err
		}
		if row.graphs, err = graphTimes(s, row.record); err != nil {
			return err
		}
	}
	b.rows = append(b.rows, row)
	if l := row.record.Latency; l != nil && l.Mode != b.mode() {
		return fmt.Errorf("latency of %s: %s is %s, and another one %s: they cannot stand in one table", b.dataset.ID, row.record.Key, l.Mode, b.mode())
	}
	return nil
}

// first is a model that was measured, or the first one.
func (b *latencyBuilder) first() latencyRow {
	i := slices.IndexFunc(b.rows, func(r latencyRow) bool { return len(r.times) > 0 })
	return b.rows[max(0, i)]
}

// mode is that of the run.
func (b *latencyBuilder) mode() string {
	if l := b.first().record.Latency; l != nil {
		return l.Mode
	}
	return record.Streaming
}

// manyBatches reports whether an iteration has more batches than one, so that
// there is a distribution over them.
func (b *latencyBuilder) manyBatches() bool {
	first := b.first()
	return len(first.times) == 0 || first.times[0].Batches > 1
}

// at is the time of a batch size, if it was measured.
func (r latencyRow) at(batch int) (times, bool) {
	i := slices.IndexFunc(r.times, func(t times) bool { return t.Batch == batch })
	if i < 0 {
		return times{}, false
	}
	return r.times[i], true
}

// speed is the paper's table with what it leaves out: the distribution over
// batches, and single events.
func (b *latencyBuilder) speed() table.Table {
	b.notes = table.Table{}
	what := "no model was measured"
	if first := b.first(); len(first.times) > 0 {
		t := first.times[0]
		what = fmt.Sprintf("%d batches of %d events", t.Batches, t.Batch)
		if t.Batches == 1 {
			what = fmt.Sprintf("%d events", t.Batch)
		}
	}
	title := fmt.Sprintf("Latency on %s, node classification, %s: %s", b.dataset.Title, b.mode(), what)
	t := table.Table{
		Title: b.layout.titled(title), Name: b.dataset.ID, Among: learnedModels, Command: b.layout.Command, Source: b.layout.Source,
	}
	shared := b.notes.Note(b.first().record.Footnotes...)
	t.Columns = []table.Column{
		{Head: "model"},
		{Kind: table.Measured, Metric: "seconds", Head: "seconds", Notes: shared},
	}
	if b.first().record.PaperName != "" {
		t.Columns = append(t.Columns, table.Column{Kind: table.Published, Metric: "latency", Head: paperHead + " s"})
	}
	if b.manyBatches() {
		for _, head := range []string{"p50 ms", "p90 ms", "p99 ms", "max ms"} {
			t.Columns = append(t.Columns, table.Column{Group: "a batch", Head: head})
		}
	}
	if _, ok := b.first().at(1); ok {
		for _, head := range []string{"p50 us", "p99 us", "p99.9 us"} {
			t.Columns = append(t.Columns, table.Column{Group: "single events", Head: head})
		}
	}
	t.Blocks = b.blocks(func(r latencyRow) table.Row { return b.speedRow(r, len(t.Columns)) })
	t.Legend, t.Notes = b.legend(b.speedLegend()...), b.notes.Notes
	return t
}

// blocks are the rows by class; the learned ones are placed by their headline,
// the second column.
func (b *latencyBuilder) blocks(entries func(latencyRow) table.Row) [][]table.Row {
	var out [][]table.Row
	for _, class := range []protocol.Class{protocol.Learned, protocol.ZeroParameter, protocol.Oracle} {
		var rows []table.Row
		for _, r := range b.rows {
			if r.head.Class == class {
				rows = append(rows, entries(r))
			}
		}
		if len(rows) == 0 {
			continue
		}
		if class == protocol.Learned {
			table.MarkBest(rows, 1, false)
		}
		out = append(out, rows)
	}
	return out
}

// speedRow has so many entries.
func (b *latencyBuilder) speedRow(r latencyRow, columns int) table.Row {
	row := table.Row{{Text: r.head.Title}, {Notes: b.rowNotes(r)}}
	if b.first().record.PaperName != "" {
		row = append(row, b.paper(r))
	}
	if len(r.times) == 0 {
		return slices.Concat(row, dashes(columns-len(row)))
	}
	headline := r.times[0]
	row[1].Value = seconds(headline)
	if b.manyBatches() {
		for _, p := range []float64{.5, .9, .99, 1} {
			row = append(row, table.Entry{Text: fixed(1e3*headline.quantile(p), 3)})
		}
	}
	if single, ok := r.at(1); ok {
		for _, p := range []float64{.5, .99, .999} {
			row = append(row, table.Entry{Text: fixed(1e6*single.quantile(p), 2)})
		}
	}
	return row
}

// paper is the paper's value of this model, this dataset and this test.
func (b *latencyBuilder) paper(r latencyRow) table.Entry {
	if len(r.times) == 0 {
		return table.Entry{}
	}
	if first := r.times[0]; LatencyMetric(first.Batches, first.Batch) != paperTest {
		return table.Entry{}
	}
	return paperTime(r.head, r.record.PaperName, &b.notes)
}

// rowNotes are what is to be said about one model alone.
func (b *latencyBuilder) rowNotes(r latencyRow) []int {
	texts := b.ownFootnotes(r)
	if r.record.Failed() {
		texts = append(texts, r.record.Error)
	}
	for _, t := range r.times {
		for _, w := range t.Warnings {
			texts = append(texts, fmt.Sprintf("batches of %d: %s", t.Batch, w))
		}
	}
	return b.notes.Note(texts...)
}

// ownFootnotes are those that the first model does not have.
func (b *latencyBuilder) ownFootnotes(r latencyRow) (own []string) {
	for _, note := range r.record.Footnotes {
		if !slices.Contains(b.first().record.Footnotes, note) {
			own = append(own, note)
		}
	}
	return own
}

// sweep is the table of the batch sizes: what an answer takes, and how many
// events are answered in a second.
func (b *latencyBuilder) sweep() table.Table {
	b.notes = table.Table{}
	title := fmt.Sprintf("Latency on %s, by the number of events in a batch: median ms | thousand events/s", b.dataset.Title)
	t := table.Table{Title: b.layout.titled(title), Name: b.dataset.ID + "-batches", Command: b.layout.Command, Source: b.layout.Source}
	shared := b.notes.Note(b.first().record.Footnotes...)
	t.Columns = []table.Column{{Head: "model"}, {Head: "parameters"}}
	var sizes []int
	for _, timing := range b.first().times {
		sizes = append(sizes, timing.Batch)
	}
	slices.Sort(sizes)
	for _, n := range sizes {
		t.Columns = append(t.Columns, table.Column{Group: "events in a batch", Head: strconv.Itoa(n)})
	}
	t.Columns[2].Notes = shared
	var rows []table.Row
	for _, r := range b.rows {
		row := table.Row{{Text: r.head.Title}, {Text: strconv.Itoa(r.record.NumParams)}}
		for _, n := range sizes {
			e := table.Entry{Text: table.NoValue}
			if at, ok := r.at(n); ok {
				e.Text = fmt.Sprintf("%s | %s", fixed(1e3*at.quantile(.5), 3), fixed(at.rate()/1e3, 0))
			}
			row = append(row, e)
		}
		row[2].Notes = b.rowNotes(r)
		rows = append(rows, row)
	}
	t.Blocks = [][]table.Row{rows}
	t.Legend, t.Notes = b.legend(), b.notes.Notes
	return t
}

// speedLegend explains what the speed table alone has.
func (b *latencyBuilder) speedLegend() []string {
	var out []string
	if times := b.first().times; len(times) > 0 {
		out = append(out, fmt.Sprintf("±: standard deviation over %d iterations (n-1)", times[0].Iterations))
		for _, t := range times {
			if t.Batch == 1 {
				out = append(out, fmt.Sprintf("single events: %d times the first %d of them", t.Iterations, t.Batches))
			}
		}
	}
	if b.first().record.PaperName != "" {
		out = append(out, "paper: on an RTX 2080 Ti, with layers of the sizes that a search chose")
	}
	return out
}

// legend says what the mode is and under which circumstances the times were
// measured, after the lines of one table's own.
func (b *latencyBuilder) legend(own ...string) []string {
	return b.circumstances(append([]string{b.mode() + ": " + modes[b.mode()]}, own...)...)
}

// circumstances are those of the run, after other lines.
func (b *latencyBuilder) circumstances(out ...string) []string {
	r := b.first().record
	out = append(out, r.Machine, fmt.Sprintf("%d threads, %s", r.Threads, r.Device))
	if r.Latency != nil {
		if r.Latency.Load.Present() {
			out = append(out, fmt.Sprintf("load %.1f when the run started", float64(r.Latency.Load)))
		}
		out = append(out, "run of "+r.Latency.Run)
	}
	return out
}

func dashes(n int) table.Row {
	out := make(table.Row, n)
	for i := range out {
		out[i].Text = table.NoValue
	}
	return out
}

func fixed(x float64, decimals int) string { return strconv.FormatFloat(x, 'f', decimals, 64) }
