package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

const (
	paperHead = "paper" // begins the heads of the paper's values; the unit follows
	seedsHead = "seeds"
	// learnedModels are those among which the best and the second are marked.
	learnedModels = "the learned models"
)

// scores makes a table of test metrics: settings x models x datasets, in link
// prediction each against every set of candidates. The paper's values are
// beside those against AllNodes, and ranks are by the first set.
type scores struct {
	grid[scoreRow]
	Input
	Layout
	task       protocol.Task
	rank       string // the paper's average rank in paper.yaml; may be empty
	metrics    []metrics.Metric
	chosen     bool                     // the suite names the metrics, or the table is of a curve
	curve      bool                     // there are no ranks and no seeds
	cells      map[record.CellKey]*Cell // without suite
	measuredAt []measuredColumn
	diagrams   []figure.Ranks // of a setting and a set of candidates each
}

// scoreRow is what a row is about.
type scoreRow struct {
	setting protocol.Setting
	model   ModelHead
}

// measuredColumn is a column of our values.
type measuredColumn struct {
	index   int
	dataset DatasetHead
	metric  metrics.Metric
}

// newScores indexes the cells of a task. Without names it shows the printed
// metrics. Two cells of one model, on different devices, cannot be in one table.
func newScores(r request, l Layout, task protocol.Task, names ...string) (*scores, error) {
	s := &scores{Input: r.Input, Layout: l, task: task, rank: r.rank, cells: map[record.CellKey]*Cell{}}
	s.Table = r.table()
	for i := range r.Cells {
		c := &r.Cells[i]
		key := c.CellKey
		key.Suite = ""
		if other := s.cells[key]; other != nil {
			return nil, fmt.Errorf("%s on %s and %s on %s would share a cell of the table; choose one",
				other.CellKey, other.Device, c.CellKey, c.Device)
		}
		s.cells[key] = c
	}
	s.chosen = len(names) > 0
	for _, name := range names {
		m, err := metrics.Lookup(name)
		if err != nil {
			return nil, err
		}
		s.metrics = append(s.metrics, m)
	}
	if !s.chosen {
		s.metrics = slices.DeleteFunc(metrics.Of(task), func(m metrics.Metric) bool { return !m.Printed })
	}
	return s, nil
}

// compares reports whether models are compared by a metric of the table.
func (s *scores) compares(m metrics.Metric) bool { return s.chosen || m.Name == s.metrics[0].Name }

// cell returns a cell, or nil where nothing was measured.
func (s *scores) cell(d DatasetHead, at scoreRow) *Cell {
	m := at.model
	return s.cells[record.CellKey{Dataset: d.ID, Task: s.task, Setting: at.setting, Case: d.Case, Model: m.ID, Variant: m.Variant}]
}

// all returns what the rows are about, in no order of classes.
func (s *scores) all(settings ...protocol.Setting) []scoreRow {
	var all []scoreRow
	for _, setting := range settings {
		for _, m := range s.Models {
			all = append(all, scoreRow{setting, m})
		}
	}
	return all
}

// build fills the table, with a block of rows for every setting and class of
// models.
func (s *scores) build() table.Table {
	s.Heads, s.Among = 1, learnedModels
	if s.task == protocol.LinkPrediction {
		s.Heads = 2
	}
	s.addColumns()
	for _, setting := range s.Settings {
		s.addClasses(s.all(setting), func(at scoreRow) protocol.Class { return at.model.Class }, func(rows []table.Row) {
			s.compareRows(rows, setting)
		})
	}
	s.Legend = s.legend()
	return s.Table
}

// learned returns the models that are ranked.
func (s *scores) learned() []ModelHead {
	return slices.DeleteFunc(slices.Clone(s.Models), func(m ModelHead) bool { return m.Class != protocol.Learned })
}

// addColumns adds: setting, model, per dataset and set of candidates each metric
// with the paper's value, seeds, average rank.
func (s *scores) addColumns() {
	if s.task == protocol.LinkPrediction {
		s.add(table.Column{Head: "T/I"}, func(at scoreRow) table.Entry { return table.Entry{Text: string(at.setting)} })
	}
	s.add(table.Column{Head: "model", Notes: s.KeyNote(s.setup())}, func(at scoreRow) table.Entry {
		return table.Entry{Text: at.model.Title, Notes: s.Note(classNotes[at.model.Class])}
	})
	s.add(table.Column{Head: seedsHead}, s.seeds)
	for _, d := range s.Datasets {
		for i, metric := range s.metrics {
			s.addMetric(d, metric, i == 0)
		}
	}
	if s.curve {
		return
	}
	beside := s.metrics[0].Name == metrics.Of(s.task)[0].Name && // the paper's ranks are by the headline
		slices.ContainsFunc(s.Columns, func(c table.Column) bool { return c.Kind == table.Published })
	if len(s.learned()) > 0 {
		s.add(table.Column{Kind: table.Ranks, Head: "average rank"}, func(scoreRow) table.Entry { return table.Entry{} }) // see addRanks
	}
	rank := func(at scoreRow) table.Entry { return paperEntry(s.task, at, "average", s.rank, 1) }
	if beside && slices.ContainsFunc(s.all(s.Settings...), func(at scoreRow) bool { return rank(at).Value != nil }) {
		notes := s.Note("over the datasets and the models of the paper's table")
		s.add(table.Column{Kind: table.Published, Metric: "average rank", Head: paperHead, Notes: notes}, rank)
	}
}

// addMetric adds a metric on a dataset, and the paper's value where it gives
// one.
func (s *scores) addMetric(d DatasetHead, metric metrics.Metric, first bool) {
	ours := table.Column{Kind: table.Measured, Group: d.heading(), Metric: metric.Title, Head: metric.Title + " " + d.unit()}
	if d.Against != "" {
		ours.Head = "Δ " + ours.Head
	}
	if first {
		ours.Notes = s.Note(s.datasetNotes(d)...)
	}
	s.measuredAt = append(s.measuredAt, measuredColumn{len(s.Columns), d, metric})
	s.add(ours, func(at scoreRow) table.Entry { return s.measured(d, at, metric, first && s.leads(d)) })
	if slices.ContainsFunc(s.all(s.Settings...), func(at scoreRow) bool { return s.besidePaper(d, at, metric) }) {
		theirs := table.Column{Kind: table.Published, Group: d.heading(), Metric: metric.Title, Head: paperHead + " " + d.unit()}
		theirs.Notes = s.Note(s.paperNotes(d)...)
		s.add(theirs, func(at scoreRow) table.Entry { return published(d, s.task, at, metric) })
	}
}

// leads reports whether the head is the first of its dataset, which has the
// ranks and the footnotes about the dataset.
func (s *scores) leads(d DatasetHead) bool { return d.Candidates == s.Datasets[0].Candidates }

// testRow returns the cell's test row of the dataset's columns.
func (c *Cell) testRow(d DatasetHead, metric string) (Row, bool) {
	if c == nil {
		return Row{}, false
	}
	return lists.Find(c.Rows, func(r Row) bool {
		return r.Split == protocol.Test && r.Candidates == d.Candidates && r.Metric == metric
	})
}

// measured returns our value. The cell's footnotes are at its first metric.
func (s *scores) measured(d DatasetHead, at scoreRow, metric metrics.Metric, first bool) table.Entry {
	c := s.cell(d, at)
	if c == nil {
		return table.Entry{}
	}
	var e table.Entry
	var notes, alarms []string
	if first {
		alarms = c.alarms()
		notes = slices.Concat(s.cellNotes(d, c, at.model.Class), s.modelNotes(d, at, c))
	}
	r, ok := c.testRow(d, metric.Name)
	switch {
	case !ok:
	case r.Mean.Present() && d.Against != "":
		if e.Value = s.difference(d, at, r); e.Value == nil {
			notes = append(notes, "no value of "+d.Against+" here, from which differences are counted")
		}
	case r.Mean.Present():
		e.Value = &table.Value{Mean: 100 * r.Mean, Std: 100 * r.Std, Low: 100 * r.CILow, High: 100 * r.CIHigh, Decimals: 2}
	case r.undefined != nil && r.undefined != metrics.ErrUndefined:
		notes = append(notes, fmt.Sprintf("%s is %v", metric.Title, r.undefined))
	default:
		notes = append(notes, fmt.Sprintf("%s is %v in the test part", metric.Title, metrics.ErrUndefined))
	}
	if r.Degenerate {
		e.Unranked, r.Caveat = true, r.Caveat+": the value is uninformative and is not ranked"
	}
	e.Notes = s.KeyNote(append(alarms, r.Caveat)...)
	e.Notes = slices.Sorted(slices.Values(append(e.Notes, s.Note(notes...)...)))
	return e
}

// difference returns a model's value minus that of d.Against, in percentage
// points; nil where that one has none. It need not be in the table. The
// deviation is the model's own; the interval is that of the comparison of the
// two.
func (s *scores) difference(d DatasetHead, at scoreRow, r Row) *table.Value {
	from := s.cell(d, scoreRow{at.setting, ModelHead{ID: d.Against}})
	base, ok := from.testRow(d, r.Metric)
	if !ok || !base.Mean.Present() || base.Degenerate {
		return nil
	}
	v := table.NewValue(100*(r.Mean-base.Mean), 2)
	v.Signed = true
	own := s.cell(d, at)
	if own == from {
		return v
	}
	v.Std = 100 * r.Std
	if c, ok := s.comparison(d, r.Metric, own, from); ok {
		v.Low, v.High = 100*c.CILow, 100*c.CIHigh
	} else if c, ok := s.comparison(d, r.Metric, from, own); ok {
		v.Low, v.High = -100*c.CIHigh, -100*c.CILow
	}
	return v
}

// seeds returns the number of seeds that finished: one number, or one a dataset
// where they differ.
func (s *scores) seeds(at scoreRow) table.Entry {
	var each []string
	for _, d := range s.Datasets {
		if !s.leads(d) {
			continue
		}
		number := table.NoValue
		if c := s.cell(d, at); c != nil {
			number = strconv.Itoa(c.Seeds)
		}
		each = append(each, number)
	}
	if different := slices.Compact(slices.Clone(each)); len(different) == 1 {
		each = different
	}
	return text(strings.Join(each, "/"))
}

// compareRows ranks the learned models of one setting, and marks the best of
// each column and what cannot be distinguished from it.
func (s *scores) compareRows(rows []table.Row, setting protocol.Setting) {
	if !s.curve {
		s.addRanks(rows)
		s.addDiagrams(rows, setting)
	}
	for _, c := range s.measuredAt {
		table.MarkBest(rows, c.index, c.metric.HigherIsBetter)
		if s.compares(c.metric) {
			s.markLevel(rows, s.learned(), c, setting)
		}
	}
}

// addRanks fills in the average rank by the table's first metric, and marks the best.
func (s *scores) addRanks(rows []table.Row) {
	rank := slices.IndexFunc(s.Columns, func(c table.Column) bool { return c.Kind == table.Ranks })
	for m, average := range s.averageRanks(rows, s.headlineColumns(rows, s.Datasets[0].Candidates)) {
		if average.Present() {
			rows[m][rank].Value = table.NewValue(average, 1)
		}
	}
	table.MarkBest(rows, rank, false)
}

// headlineColumns returns the columns of the table's first metric against candidates
// in which any of the models has a value that is ranked: of each dataset at the first
// size of evaluation batches.
func (s *scores) headlineColumns(rows []table.Row, candidates protocol.CandidateSet) []measuredColumn {
	return slices.DeleteFunc(slices.Clone(s.measuredAt), func(c measuredColumn) bool {
		ranked := func(r table.Row) bool { return r[c.index].Ranked() }
		return c.metric.Name != s.metrics[0].Name || c.dataset.Further || c.dataset.Candidates != candidates || !slices.ContainsFunc(rows, ranked)
	})
}

// averageRanks returns that of each row over columns of one metric. A model without
// a value in one of them has none.
func (s *scores) averageRanks(rows []table.Row, columns []measuredColumn) []optional.Number {
	averages := make([]optional.Number, len(rows))
	for _, c := range columns {
		for m, row := range rows {
			if !row[c.index].Ranked() {
				averages[m] = optional.Absent()
				continue
			}
			var better, level int32
			for other, against := range rows {
				if other == m || !against[c.index].Ranked() {
					continue
				}
				switch mine, theirs := row[c.index].Value.Printed(), against[c.index].Value.Printed(); {
				case mine == theirs:
					level++
				case (theirs > mine) == c.metric.HigherIsBetter:
					better++
				}
			}
			averages[m] += optional.Number(metrics.Rank(better, level)) // absent stays absent
		}
	}
	for m := range averages {
		averages[m] /= optional.Number(len(columns)) // absent without columns
	}
	return averages
}

// markLevel marks the values of a column that cannot be told apart from the
// best. The rows are of these learned models.
func (s *scores) markLevel(rows []table.Row, models []ModelHead, column measuredColumn, setting protocol.Setting) {
	d, metric := column.dataset, column.metric
	var best *Cell
	var value optional.Number
	for _, m := range models {
		c := s.cell(d, scoreRow{setting, m})
		r, ok := c.testRow(d, metric.Name)
		if !ok || !r.Mean.Present() || r.Degenerate {
			continue
		}
		if best == nil || metric.Better(float64(r.Mean), float64(value)) {
			best, value = c, r.Mean
		}
	}
	for i, m := range models {
		e := &rows[i][column.index]
		if c, ok := s.comparison(d, metric.Name, best, s.cell(d, scoreRow{setting, m})); ok && e.Value != nil && e.Mark != table.Best {
			e.Level = !c.Significant()
		}
	}
}

// comparison finds that of the better cell with the other one by a metric, against
// the candidates of the dataset's columns.
func (s *scores) comparison(d DatasetHead, metric string, better, other *Cell) (Comparison, bool) {
	if better == nil || other == nil {
		return Comparison{}, false
	}
	return findComparison(s.comparisons, d.Candidates, metric, better, other)
}
