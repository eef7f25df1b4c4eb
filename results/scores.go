package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
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
	Layout
	table       table.Table
	task        protocol.Task
	rank        string // the paper's average rank in paper.yaml; may be empty
	metrics     []metrics.Metric
	cells       map[record.CellKey]*Cell // without suite
	comparisons []Comparison             // of all cells: the family does not depend on what a table shows
	columns     []scoreColumn
}

// scoreColumn is a column with its entry for a model.
type scoreColumn struct {
	table.Column
	dataset DatasetHead    // of Measured columns
	metric  metrics.Metric // of Measured columns
	entry   func(protocol.Setting, ModelHead) table.Entry
}

// newScores indexes the cells of a task. Two cells of one model, on different
// devices, cannot be in one table.
func newScores(cells []Cell, l Layout, task protocol.Task) (*scores, error) {
	s := &scores{Layout: l, task: task, cells: map[record.CellKey]*Cell{}, comparisons: Comparisons(cells)}
	for i := range cells {
		c := &cells[i]
		key := c.CellKey
		key.Suite = ""
		if other := s.cells[key]; other != nil {
			return nil, fmt.Errorf("%s on %s and %s on %s would share a cell of the table; choose one",
				other.CellKey, other.Device, c.CellKey, c.Device)
		}
		s.cells[key] = c
	}
	for _, m := range metrics.Of(task) {
		if m.Printed {
			s.metrics = append(s.metrics, m)
		}
	}
	return s, nil
}

// cell returns a cell, or nil where nothing was measured.
func (s *scores) cell(d DatasetHead, setting protocol.Setting, m ModelHead) *Cell {
	return s.cells[record.CellKey{Dataset: d.ID, Task: s.task, Setting: setting, Case: d.Case, Model: m.ID, Variant: m.Variant}]
}

// each calls visit with every setting and model until it returns true, and
// reports whether it did.
func (s *scores) each(visit func(protocol.Setting, ModelHead) bool) bool {
	return slices.ContainsFunc(s.Settings, func(setting protocol.Setting) bool {
		return slices.ContainsFunc(s.Models, func(m ModelHead) bool { return visit(setting, m) })
	})
}

// build fills the table, with a block of rows for every setting and class of
// models.
func (s *scores) build(t table.Table) table.Table {
	s.table = t
	s.table.Heads, s.table.Among = 1, learnedModels
	if s.task == protocol.LinkPrediction {
		s.table.Heads = 2
	}
	s.addColumns()
	for _, setting := range s.Settings {
		for _, class := range []protocol.Class{protocol.Learned, protocol.ZeroParameter, protocol.Oracle} {
			var rows []table.Row
			for _, m := range s.modelsOf(class) {
				var row table.Row
				for _, c := range s.columns {
					row = append(row, c.entry(setting, m))
				}
				rows = append(rows, row)
			}
			if len(rows) == 0 {
				continue
			}
			if class == protocol.Learned {
				s.compareRows(rows, setting)
			}
			s.table.Blocks = append(s.table.Blocks, rows)
		}
	}
	s.table.Legend = s.legend()
	return s.table
}

func (s *scores) modelsOf(class protocol.Class) []ModelHead {
	return slices.DeleteFunc(slices.Clone(s.Models), func(m ModelHead) bool { return m.Class != class })
}

// addColumns adds: setting, model, per dataset and set of candidates each metric
// with the paper's value, seeds, average rank.
func (s *scores) addColumns() {
	if s.task == protocol.LinkPrediction {
		s.add(scoreColumn{Column: table.Column{Head: "T/I"}, entry: func(setting protocol.Setting, _ ModelHead) table.Entry {
			return table.Entry{Text: string(setting)}
		}})
	}
	s.add(scoreColumn{Column: table.Column{Head: "model"}, entry: func(_ protocol.Setting, m ModelHead) table.Entry {
		return table.Entry{Text: m.Title, Notes: s.table.Note(classNotes[m.Class])}
	}})
	beside := false // the paper has values
	for _, d := range s.Datasets {
		for i, metric := range s.metrics {
			beside = s.addMetric(d, metric, i == 0) || beside
		}
	}
	s.add(scoreColumn{Column: table.Column{Head: seedsHead}, entry: s.seeds})
	if len(s.modelsOf(protocol.Learned)) > 0 {
		s.add(scoreColumn{Column: table.Column{Kind: table.Ranks, Head: "average rank"}, entry: func(protocol.Setting, ModelHead) table.Entry {
			return table.Entry{} // see addRanks
		}})
	}
	rank := scoreColumn{Column: table.Column{Kind: table.Published, Metric: "average rank", Head: paperHead}}
	rank.entry = func(setting protocol.Setting, m ModelHead) table.Entry {
		return paperEntry(s.task, setting, m, "average", s.rank, 1)
	}
	if beside && s.each(func(setting protocol.Setting, m ModelHead) bool { return rank.entry(setting, m).Value != nil }) {
		rank.Notes = s.table.Note("over the datasets and the models of the paper's table")
		s.add(rank)
	}
}

// addMetric adds a metric on a dataset, and the paper's value where it gives
// one, which it reports.
func (s *scores) addMetric(d DatasetHead, metric metrics.Metric, first bool) (paper bool) {
	ours := table.Column{Kind: table.Measured, Group: d.heading(), Metric: metric.Title, Head: metric.Title + " " + d.unit()}
	if d.Against != "" {
		ours.Head = "Δ " + ours.Head
	}
	if first {
		ours.Notes = s.table.Note(s.datasetNotes(d)...)
	}
	s.add(scoreColumn{Column: ours, dataset: d, metric: metric, entry: func(setting protocol.Setting, m ModelHead) table.Entry {
		return s.measured(d, setting, m, metric, first && s.leads(d))
	}})
	if !s.each(func(setting protocol.Setting, m ModelHead) bool { return s.besidePaper(d, setting, m, metric) }) {
		return false
	}
	theirs := table.Column{Kind: table.Published, Group: d.heading(), Metric: metric.Title, Head: paperHead + " " + d.unit()}
	theirs.Notes = s.table.Note(s.paperNotes(d)...)
	s.add(scoreColumn{Column: theirs, entry: func(setting protocol.Setting, m ModelHead) table.Entry {
		return published(d, s.task, setting, m, metric)
	}})
	return true
}

func (s *scores) add(c scoreColumn) {
	s.table.Columns, s.columns = append(s.table.Columns, c.Column), append(s.columns, c)
}

// leads reports whether the head is the first of its dataset, which has the
// ranks and the footnotes about the dataset.
func (s *scores) leads(d DatasetHead) bool { return d.Candidates == s.Datasets[0].Candidates }

// testRow returns the cell's test row of the dataset's columns.
func (c *Cell) testRow(d DatasetHead, metric string) (Row, bool) {
	if c != nil {
		for _, r := range c.Rows {
			if r.Split == protocol.Test && r.Candidates == d.Candidates && r.Metric == metric {
				return r, true
			}
		}
	}
	return Row{}, false
}

// measured returns our value. The cell's footnotes are at its first metric.
func (s *scores) measured(d DatasetHead, setting protocol.Setting, m ModelHead, metric metrics.Metric, first bool) table.Entry {
	c := s.cell(d, setting, m)
	if c == nil {
		return table.Entry{}
	}
	var e table.Entry
	var notes []string
	if first {
		notes = slices.Concat(s.cellNotes(d, c, m.Class), s.modelNotes(d, setting, m, c))
	}
	r, ok := c.testRow(d, metric.Name)
	switch {
	case !ok:
	case r.Mean.Present() && d.Against != "":
		if e.Value = s.difference(d, setting, m, r); e.Value == nil {
			notes = append(notes, "no value of "+d.Against+" here, from which differences are counted")
		}
	case r.Mean.Present():
		e.Value = &table.Value{Mean: 100 * r.Mean, Std: 100 * r.Std, Low: 100 * r.CILow, High: 100 * r.CIHigh, Decimals: 2}
	default:
		_, err := metric.Value(metrics.Facts{})
		notes = append(notes, fmt.Sprintf("%s is %v in the test part", metric.Title, err))
	}
	if r.Degenerate {
		e.Unranked, r.Caveat = true, r.Caveat+": the value is uninformative and is not ranked"
	}
	e.Notes = s.table.Note(append(notes, r.Caveat)...)
	return e
}

// difference returns a model's value minus that of d.Against, in percentage
// points; nil where that one has none. It need not be in the table. The
// deviation is the model's own; the interval is that of the comparison of the
// two.
func (s *scores) difference(d DatasetHead, setting protocol.Setting, m ModelHead, r Row) *table.Value {
	from := s.cell(d, setting, ModelHead{ID: d.Against})
	base, ok := from.testRow(d, r.Metric)
	if !ok || !base.Mean.Present() || base.Degenerate {
		return nil
	}
	v := table.NewValue(100*(r.Mean-base.Mean), 2)
	v.Signed = true
	own := s.cell(d, setting, m)
	if own == from {
		return v
	}
	v.Std = 100 * r.Std
	if c, ok := s.comparison(d, own, from); ok {
		v.Low, v.High = 100*c.CILow, 100*c.CIHigh
	} else if c, ok := s.comparison(d, from, own); ok {
		v.Low, v.High = -100*c.CIHigh, -100*c.CILow
	}
	return v
}

// seeds returns the number of seeds that finished: one number, or one a dataset
// where they differ.
func (s *scores) seeds(setting protocol.Setting, m ModelHead) table.Entry {
	var each []string
	for _, d := range s.Datasets {
		if d.PaperOnly || !s.leads(d) {
			continue
		}
		text := table.NoValue
		if c := s.cell(d, setting, m); c != nil {
			text = strconv.Itoa(c.Seeds)
		}
		each = append(each, text)
	}
	if different := slices.Compact(slices.Clone(each)); len(different) == 1 {
		each = different
	}
	if len(each) == 0 {
		each = []string{table.NoValue}
	}
	return table.Entry{Text: strings.Join(each, "/")}
}

// compareRows ranks the learned models of one setting, and marks the best of
// each column and what cannot be distinguished from it.
func (s *scores) compareRows(rows []table.Row, setting protocol.Setting) {
	s.addRanks(rows)
	for i, c := range s.columns {
		switch {
		case c.Kind == table.Ranks:
			table.MarkBest(rows, i, false)
		case c.Kind == table.Measured:
			table.MarkBest(rows, i, c.metric.HigherIsBetter)
		}
		if c.Kind == table.Measured && c.metric.Name == s.metrics[0].Name {
			s.markLevel(rows, i, setting)
		}
	}
}

// addRanks fills in the average rank by the task's headline metric over the
// datasets on which any of the models has a value that is ranked. A model
// without one on one of them has none.
func (s *scores) addRanks(rows []table.Row) {
	sums, missing := make([]float64, len(rows)), make([]bool, len(rows))
	headline, datasets := s.metrics[0], 0
	for i, c := range s.columns {
		ranked := func(r table.Row) bool { return r[i].Ranked() }
		if c.Kind != table.Measured || c.metric.Name != headline.Name || !s.leads(c.dataset) || !slices.ContainsFunc(rows, ranked) {
			continue
		}
		datasets++
		for m, row := range rows {
			if !ranked(row) {
				missing[m] = true
				continue
			}
			var better, level int32
			for other, against := range rows {
				if other == m || !ranked(against) {
					continue
				}
				switch mine, theirs := row[i].Value.Printed(), against[i].Value.Printed(); {
				case mine == theirs:
					level++
				case (theirs > mine) == headline.HigherIsBetter:
					better++
				}
			}
			sums[m] += metrics.Rank(better, level)
		}
	}
	rank := slices.IndexFunc(s.columns, func(c scoreColumn) bool { return c.Kind == table.Ranks })
	for m, row := range rows {
		if datasets > 0 && !missing[m] {
			row[rank].Value = table.NewValue(sums[m]/float64(datasets), 1)
		}
	}
}

// markLevel marks the values of a column that cannot be told apart from the
// best, by the headline metric. rows are those of the learned models.
func (s *scores) markLevel(rows []table.Row, column int, setting protocol.Setting) {
	d := s.columns[column].dataset
	var best *Cell
	var value optional.Number
	models := s.modelsOf(protocol.Learned)
	for _, m := range models {
		c := s.cell(d, setting, m)
		r, ok := c.testRow(d, s.metrics[0].Name)
		if !ok || !r.Mean.Present() || r.Degenerate {
			continue
		}
		if best == nil || r.Mean != value && (r.Mean > value) == s.metrics[0].HigherIsBetter {
			best, value = c, r.Mean
		}
	}
	for i, m := range models {
		e := &rows[i][column]
		if c, ok := s.comparison(d, best, s.cell(d, setting, m)); ok && e.Value != nil && e.Mark != table.Best {
			e.Level = !c.Significant()
		}
	}
}

// comparison finds that of the better cell with the other one, against the
// candidates of the dataset's columns.
func (s *scores) comparison(d DatasetHead, better, other *Cell) (Comparison, bool) {
	if better == nil || other == nil {
		return Comparison{}, false
	}
	is := func(m Compared, c *Cell) bool { return m.Model == c.Model && m.Variant == c.Variant }
	i := slices.IndexFunc(s.comparisons, func(c Comparison) bool {
		return c.Place() == better.Place() && c.Candidates == d.Candidates && is(c.Better, better) && is(c.Other, other)
	})
	if i < 0 {
		return Comparison{}, false
	}
	return s.comparisons[i], true
}
