package results

import (
	"iter"
	"strconv"
	"strings"

	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/table"
)

const (
	paperHead = "paper" // begins the heads of the paper's values; the unit follows
	seedsHead = "seeds" // that the legend looks for
)

// learnedModels are those among which the best and the second are marked.
const learnedModels = "the learned models"

// builder makes a table out of cells.
type builder struct {
	Layout
	task    protocol.Task
	rank    string // the paper's average rank in paper.yaml; may be empty
	metrics []metrics.Metric
	cells   map[place]*Cell
	// comparisons are those of all cells: the family does not depend on what
	// a table shows.
	comparisons []Comparison
	notes       table.Table
	columns     []table.Column
}

func newBuilder(cells []Cell, l Layout, task protocol.Task, names ...string) (*builder, error) {
	at, err := index(cells, task)
	if err != nil {
		return nil, err
	}
	b := &builder{Layout: l, task: task, cells: at, comparisons: Comparisons(cells)}
	for _, name := range names {
		m, err := metrics.Lookup(name)
		if err != nil {
			return nil, err
		}
		b.metrics = append(b.metrics, m)
	}
	return b, nil
}

func (b *builder) build(title string) table.Table {
	b.addColumns()
	t := table.Table{Title: b.titled(title), Columns: b.columns, Heads: 1, Among: learnedModels, Command: b.Command, Source: b.Source}
	if b.task == protocol.LinkPrediction {
		t.Heads = 2
	}
	for _, setting := range b.Settings {
		for _, class := range []protocol.Class{protocol.Learned, protocol.ZeroParameter, protocol.Oracle} {
			if rows := b.block(setting, class); len(rows) > 0 {
				t.Blocks = append(t.Blocks, rows)
			}
		}
	}
	t.Legend, t.Notes = b.legend(t), b.notes.Notes
	return t
}

// addColumns makes: setting, model, per dataset and set of candidates each metric
// with the paper's value, seeds, average rank.
func (b *builder) addColumns() {
	if b.task == protocol.LinkPrediction {
		b.columns = append(b.columns, table.Column{Head: "T/I"})
	}
	b.columns = append(b.columns, table.Column{Head: "model"})
	for _, d := range b.Datasets {
		shared := b.notes.Note(b.datasetNotes(d)...)
		for i, m := range b.metrics {
			ours := table.Column{Kind: table.Measured, Group: d.title(), Metric: m.Title, Head: d.head(m)}
			if i == 0 {
				ours.Notes = shared
			}
			b.columns = append(b.columns, ours)
			if b.hasPaper(d, m) {
				b.columns = append(b.columns, table.Column{
					Kind: table.Published, Group: d.title(), Metric: m.Title, Head: paperHead + " " + d.unit(), Notes: b.paperNotes(d),
				})
			}
		}
	}
	b.columns = append(b.columns, table.Column{Head: seedsHead})
	if len(b.models(protocol.Learned)) > 0 {
		b.columns = append(b.columns, table.Column{Kind: table.Ranks, Head: "average rank"})
	}
	if b.hasPaperRank() {
		b.columns = append(b.columns, table.Column{
			Kind: table.Published, Metric: "average rank", Head: paperHead,
			Notes: b.notes.Note("over the datasets and the models of the paper's table"),
		})
	}
}

// head stands over our values.
func (d DatasetHead) head(m metrics.Metric) string {
	if d.Against != "" {
		return "Δ " + m.Title + " " + d.unit()
	}
	return m.Title + " " + d.unit()
}

// unit is that of the dataset's values.
func (d DatasetHead) unit() string {
	if d.Against != "" {
		return "pp"
	}
	return "%"
}

// leads reports whether the head is the first of its dataset: ranks are by the
// headline there, and what is to be said of the dataset is said there.
func (b *builder) leads(d DatasetHead) bool { return d.Candidates == b.Datasets[0].Candidates }

// headlines are the columns of the headline metric, with their heads.
func (b *builder) headlines() iter.Seq2[int, DatasetHead] {
	return func(yield func(int, DatasetHead) bool) {
		next := 0
		for c, column := range b.columns {
			if !measures(column, b.metrics[0]) {
				continue
			}
			if !yield(c, b.Datasets[next]) {
				return
			}
			next++
		}
	}
}

// models lists the models of a class.
func (b *builder) models(class protocol.Class) []ModelHead {
	var out []ModelHead
	for _, m := range b.Models {
		if m.Class == class {
			out = append(out, m)
		}
	}
	return out
}

func (b *builder) cell(d DatasetHead, setting protocol.Setting, m ModelHead) *Cell {
	return b.cells[place{d.ID, d.Case, setting, m.ID, m.Variant}]
}

// row finds the row of results that an entry of the dataset's columns shows.
func (d DatasetHead) row(c *Cell, metric string) (Row, bool) {
	if c != nil {
		for _, r := range c.Rows {
			if r.Split == protocol.Test && r.Candidates == d.Candidates && r.Metric == metric {
				return r, true
			}
		}
	}
	return Row{}, false
}

// block is the rows of one class in one setting. Only learned models are
// ranked.
func (b *builder) block(setting protocol.Setting, class protocol.Class) []table.Row {
	models := b.models(class)
	rows := make([]table.Row, len(models))
	for i, m := range models {
		rows[i] = b.tableRow(setting, m)
	}
	if class != protocol.Learned {
		return rows
	}
	b.addRanks(rows)
	b.markPlaces(rows)
	b.markLevel(rows, setting, models)
	return rows
}

func (b *builder) tableRow(setting protocol.Setting, m ModelHead) table.Row {
	var row table.Row
	if b.task == protocol.LinkPrediction {
		row = append(row, table.Entry{Text: string(setting)})
	}
	row = append(row, table.Entry{Text: m.Title, Notes: b.notes.Note(classNotes(m.Class)...)})
	for _, d := range b.Datasets {
		for i, metric := range b.metrics {
			row = append(row, b.measured(d, setting, m, metric, i == 0 && b.leads(d)))
			if b.hasPaper(d, metric) {
				row = append(row, published(d, b.task, setting, m, metric))
			}
		}
	}
	row = append(row, table.Entry{Text: b.seeds(setting, m)})
	for _, column := range b.columns[len(row):] {
		e := table.Entry{} // the average rank, to be filled in
		if column.Kind == table.Published {
			e = b.paperRank(setting, m)
		}
		row = append(row, e)
	}
	return row
}

// measured is our value. The cell's footnotes stand at its first metric.
func (b *builder) measured(d DatasetHead, setting protocol.Setting, m ModelHead, metric metrics.Metric, first bool) table.Entry {
	var e table.Entry
	c := b.cell(d, setting, m)
	if c == nil {
		return e
	}
	r, ok := d.row(c, metric.Name)
	if first {
		e.Notes = b.notes.Note(append(b.cellNotes(d, c, m.Class), b.unlikeNotes(d, setting, m, c)...)...)
	}
	switch {
	case !ok:
	case r.Mean.Present() && d.Against != "":
		if e.Value = b.difference(d, setting, m, r); e.Value == nil {
			e.Notes = append(e.Notes, b.notes.Note("no value of "+d.Against+" here, from which differences are counted")...)
		}
	case r.Mean.Present():
		e.Value = percent(r)
	default:
		e.Notes = append(e.Notes, b.notes.Note(undefinedNote(metric))...)
	}
	e.Unranked = r.Degenerate
	e.Notes = append(e.Notes, b.notes.Note(r.caveatNote())...)
	return e
}

// percent is a Value in per cent of fractions.
func percent(r Row) *table.Value {
	return &table.Value{Mean: 100 * r.Mean, Std: 100 * r.Std, Low: 100 * r.CILow, High: 100 * r.CIHigh, Decimals: 2}
}

// seeds is how many seeds finished: one number, or one a dataset where they
// differ.
func (b *builder) seeds(setting protocol.Setting, m ModelHead) string {
	var each []string
	same := true
	for _, d := range b.Datasets {
		if d.PaperOnly || !b.leads(d) {
			continue
		}
		text := table.NoValue
		if c := b.cell(d, setting, m); c != nil {
			text = strconv.Itoa(c.Seeds)
		}
		each = append(each, text)
		same = same && text == each[0]
	}
	if len(each) == 0 {
		return table.NoValue
	}
	if same {
		each = each[:1]
	}
	return strings.Join(each, "/")
}
