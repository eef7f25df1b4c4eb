package results

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// freshRow is a model at a place, tested in batches of several sizes.
type freshRow struct {
	scoreRow
	sizes []DatasetHead // ascending; of one dataset and case
}

// freshnessOutput has, for each task, the headline metric by the number of events
// that are answered from one state: a row a model and a column a size.
func freshnessOutput(r request) (out Output, err error) {
	for _, of := range []struct {
		task protocol.Task
		Layout
	}{{protocol.LinkPrediction, r.layout(r.Links)}, {protocol.NodeClassification, r.layout(r.Classification)}} {
		l := of.Layout.withoutDifferences()
		l.Datasets = slices.DeleteFunc(l.Datasets, func(d DatasetHead) bool { return d.Events == 0 })
		if of.task == protocol.NodeClassification {
			l.Settings = []protocol.Setting{""}
		}
		for i := range l.Datasets {
			if of.task == protocol.LinkPrediction {
				l.Datasets[i].Candidates = l.Candidates[0]
			}
		}
		one := r
		one.ID += "-" + string(of.task)
		one.Title += ", " + strings.ToLower(taskTitles[of.task]) + ", test events"
		s, err := newScores(one, l, of.task, metrics.Of(of.task)[0].Name)
		if err != nil {
			return out, err
		}
		made, err := s.freshness()
		if err != nil {
			return out, err
		}
		out.Tables, out.Figures = append(out.Tables, made.Tables...), append(out.Figures, made.Figures...)
	}
	return out, nil
}

// freshness makes the table and the figure of a task; nothing where nothing was measured.
func (s *scores) freshness() (Output, error) {
	if s.empty() {
		return Output{}, nil
	}
	metric := s.metrics[0]
	t := grid[freshRow]{Table: s.Table}
	t.Heads, t.Among = 2, learnedModels
	t.add(table.Column{Head: "dataset"}, func(row freshRow) table.Entry {
		return table.Entry{Text: row.place(), Notes: s.Note(s.datasetNotes(row.sizes[0])...)}
	})
	t.add(table.Column{Head: "model", Notes: s.KeyNote(s.setup())}, func(row freshRow) table.Entry {
		return table.Entry{Text: row.model.Title, Notes: s.Note(classNotes[row.model.Class])}
	})
	t.add(table.Column{Head: seedsHead}, func(row freshRow) table.Entry {
		if c := s.cell(row.sizes[0], row.scoreRow); c != nil {
			return text(strconv.Itoa(c.Seeds))
		}
		return text("")
	})
	all := lists.Unique(s.Datasets, func(d DatasetHead) int { return d.Events })
	slices.Sort(all)
	first := len(t.Columns)
	for _, events := range all {
		head := table.Column{Kind: table.Measured, Group: metric.Title + " %, events in a batch", Metric: metric.Title, Head: table.Thousands(events)}
		t.add(head, func(row freshRow) table.Entry {
			i := slices.IndexFunc(row.sizes, func(d DatasetHead) bool { return d.Events == events })
			if i < 0 {
				return table.Entry{}
			}
			return s.measured(row.sizes[i], row.scoreRow, metric, i == 0)
		})
	}
	t.add(table.Column{Kind: table.Measured, Metric: "lost", Head: "lost, pp"}, func(row freshRow) table.Entry { return table.Entry{Value: s.lost(row)} })
	var panels []figure.Panel
	for _, sizes := range lists.GroupBy(s.Datasets, func(d DatasetHead) [2]string { return [2]string{d.ID, d.Place} }) {
		slices.SortFunc(sizes, func(a, b DatasetHead) int { return cmp.Compare(a.Events, b.Events) })
		for _, setting := range s.Settings {
			var rows []freshRow
			var learned []ModelHead
			for _, at := range s.all(setting) {
				if !slices.ContainsFunc(sizes, func(d DatasetHead) bool { return s.cell(d, at) != nil }) {
					continue // it may be one of other datasets
				}
				rows = append(rows, freshRow{at, sizes})
				if at.model.Class == protocol.Learned {
					learned = append(learned, at.model)
				}
			}
			if len(rows) == 0 {
				continue
			}
			t.addClasses(rows, func(row freshRow) protocol.Class { return row.model.Class }, func(rows []table.Row) {
				for _, d := range sizes {
					column := first + slices.Index(all, d.Events)
					table.MarkBest(rows, column, metric.HigherIsBetter)
					s.markLevel(rows, learned, measuredColumn{column, d, metric}, setting)
				}
			})
			if p := s.freshnessPanel(rows); len(p.Series) > 0 {
				panels = append(panels, p)
			}
		}
	}
	t.Notes, s.Table = s.Notes, t.Table
	t.Legend = append(s.legend(), "events in a batch: those of the test that are answered from one state", "lost: from the smallest batches to the largest, in percentage points, [low, high] over events and seeds, paired (95%, t distribution)")
	return s.withFigure(t.Table, pageWidth/2, panels, metric.Title+" against the number of events that are answered from one state, by the same trained model; "+
		"with 95% intervals over test events, which leave out the deviation over seeds")
}

// lost returns the value of a model at its smallest size less that at its largest,
// on the same events with the same seeds; nil without values at both.
func (s *scores) lost(row freshRow) *table.Value {
	var ends [2]estimate
	for i, d := range []DatasetHead{row.sizes[0], row.sizes[len(row.sizes)-1]} {
		c := s.cell(d, row.scoreRow)
		if c == nil {
			return nil
		}
		e, ok := c.estimate(d.Candidates, s.metrics[0].Name)
		if !ok {
			return nil
		}
		ends[i] = e
	}
	less := func(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) }
	fresh, old := ends[0], ends[1]
	if len(fresh.Seeds) != len(old.Seeds) {
		return nil
	}
	d := metrics.Compare(
		metrics.Estimate{Seeds: less(fresh.Seeds, old.Seeds), Draws: less(fresh.Draws, old.Draws), Exact: fresh.Exact},
		metrics.Estimate{Seeds: []float64{0}, Draws: make([]float64, len(fresh.Draws)), Exact: true},
	)
	v := table.NewValue(optional.Number(100*d.Mean), 2)
	v.Low, v.High = optional.Number(100*d.Low), optional.Number(100*d.High)
	return v
}

// byBatch says for the summary what a cell's model has in batches of each size; empty
// where it was tested in one.
func (in Input) byBatch(l Layout, first DatasetHead, c *Cell, metric metrics.Metric) string {
	if first.Events == 0 || c == nil {
		return ""
	}
	var texts []string
	sizes := slices.DeleteFunc(slices.Clone(l.Datasets), func(d DatasetHead) bool { return d.ID != first.ID || d.Place != first.Place })
	slices.SortFunc(sizes, func(a, b DatasetHead) int { return cmp.Compare(a.Events, b.Events) })
	for _, d := range sizes {
		d.Candidates = first.Candidates
		for _, other := range in.cellsAt(d, c.Task, c.Setting) {
			if r, ok := other.testRow(d, metric.Name); ok && r.Mean.Present() && other.Model == c.Model && other.Variant == c.Variant {
				texts = append(texts, fmt.Sprintf("%.1f with %s", 100*r.Mean, Count(d.Events, "event")))
			}
		}
	}
	return fmt.Sprintf("%s by the size of evaluation batches: %s.", c.title(), strings.Join(texts, ", "))
}

// place returns the dataset with the setting and what events are ranked against.
func (r freshRow) place() string {
	d := r.sizes[0]
	d.Title = d.Place
	if r.setting != "" {
		d.Title += ", " + string(r.setting)
	}
	return d.heading()
}

// freshnessPanel draws a line a model.
func (s *scores) freshnessPanel(rows []freshRow) figure.Panel {
	sizes := rows[0].sizes
	named := sizes[0]
	named.Title = rows[0].place()
	p := figure.Panel{
		Group: named.ID, Title: s.panelTitle(named),
		X: figure.Axis{Label: "events in an evaluation batch, logarithmic", Scale: figure.Log}, Y: figure.Axis{Label: s.metrics[0].Title + " (%)"},
	}
	for _, row := range rows {
		if line, ok := s.along(sizes, row.scoreRow, func(d DatasetHead) int { return d.Events }); ok {
			p.Series = append(p.Series, line)
		}
	}
	return p
}

// along draws a model's values at datasets, in the order of x; false without any.
func (s *scores) along(at []DatasetHead, row scoreRow, x func(DatasetHead) int) (figure.Series, bool) {
	var points []figure.Point
	for _, d := range at {
		if pt, ok := asPoint(float64(x(d)), s.point(d, row, s.metrics[0].Name)); ok {
			points = append(points, pt)
		}
	}
	line := s.lineOf(row.model, points)
	line.Mark = figure.Dot
	return line, len(points) > 0
}
