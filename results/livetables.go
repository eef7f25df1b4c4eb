package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// liveOutput makes, for every dataset and task with live tests, the table of all rates, that
// of the highest rates within limits, and a figure of both.
func liveOutput(r request) (out Output, err error) {
	for _, l := range r.livePlaces() {
		load := l.underLoad()
		drawn, err := l.draw(load.Name)
		if err != nil {
			return out, err
		}
		if len(drawn) > 0 {
			load.Legend = append(load.Legend, DrawnIn+load.Name+".svg and .png, which bench all leaves beside the records of a whole suite")
		}
		out.Tables, out.Figures = append(out.Tables, load), append(out.Figures, drawn...)
		if l.first.load.Searches() {
			out.Tables = append(out.Tables, l.limits())
		}
	}
	addLeftOut(out.Tables, r.EarlierLive)
	return out, nil
}

// livePlace makes the tables of the live tests of a dataset, task, setting and clock.
type livePlace struct {
	request
	dataset DatasetHead
	tests   []*LiveTest // at least one, in the order of models
	first   *LiveTest   // that did not fail, or the first of all
	null    *LiveTest   // nil where there is none
}

// livePlaces returns those that have tests.
func (r request) livePlaces() (out []*livePlace) {
	layout := r.layout(r.Live)
	for _, d := range layout.Datasets {
		for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
			for _, setting := range layout.Settings {
				l := &livePlace{request: r, dataset: d}
				for _, m := range layout.Models {
					for i := range r.Loaded {
						k := r.Loaded[i].Key
						if k.Dataset == d.ID && k.Case == d.Case && k.Task == task && k.Setting == setting && k.Model == m.ID && k.Variant == m.Variant {
							test := r.Loaded[i]
							test.model = m
							l.tests = append(l.tests, &test)
						}
					}
				}
				if len(l.tests) > 0 {
					l.find()
					out = append(out, l)
				}
			}
		}
	}
	return out
}

func (l *livePlace) find() {
	finished := func(t *LiveTest) bool { return !t.Failed() }
	l.first = l.tests[max(0, slices.IndexFunc(l.tests, finished))]
	l.null, _ = lists.Find(l.tests, func(t *LiveTest) bool { return finished(t) && t.model.Class == protocol.Null })
	l.dataset.Candidates = l.first.candidates
}

// what names the place after its dataset.
func (l *livePlace) what() string {
	words := tasks[l.first.Key.Task]
	if l.first.candidates != "" {
		words += " against " + candidates[l.first.candidates].words
	}
	if l.first.load.Simulated {
		words += ", simulated clock"
	}
	return words
}

// tasks are their names inside a sentence.
var tasks = map[protocol.Task]string{protocol.NodeClassification: "node classification", protocol.LinkPrediction: "link prediction"}

// liveGrid returns a table about the place, which its name and title end with more.
func liveGrid[R any](l *livePlace, name, title string, test func(R) *LiveTest, isFirst func(R) bool) *grid[R] {
	r := l.request
	r.Title = l.title() + title
	t := &grid[R]{Table: r.table()}
	t.Name, t.Among = l.name(lists.NonEmpty(l.dataset.ID, string(l.first.Key.Task), simulatedWord(l.first.load), name)...), learnedModels
	t.add(table.Column{Head: "model", Notes: t.Note(l.first.Footnotes...)}, func(row R) table.Entry {
		at := test(row)
		e := table.Entry{Text: at.model.Title}
		if isFirst(row) {
			e.Notes = append(t.KeyNote(lists.NonEmpty(at.Error)...), t.Note(append(without(at.Footnotes, l.first.Footnotes), classNotes[at.model.Class])...)...)
		}
		return e
	})
	return t
}

func simulatedWord(l specs.Live) string {
	if l.Simulated {
		return "simulated"
	}
	return ""
}

// liveRow is a model at a rate.
type liveRow struct {
	*LiveTest
	point *livePoint // nil of a model that failed
	first bool       // of the model
}

// underLoad has a row for each model and rate.
func (l *livePlace) underLoad() table.Table {
	t := liveGrid(l, "", "", func(row liveRow) *LiveTest { return row.LiveTest }, func(row liveRow) bool { return row.first })
	t.Heads = 2
	add := func(c table.Column, entry func(*LiveTest, livePoint) table.Entry) {
		t.add(c, func(row liveRow) table.Entry {
			switch {
			case row.point != nil:
				return entry(row.LiveTest, *row.point)
			case c.Kind == table.Text:
				return text("")
			}
			return table.Entry{}
		})
	}
	number := func(group, head string, of func(livePoint) string) {
		add(table.Column{Group: group, Head: head, Right: true}, func(_ *LiveTest, p livePoint) table.Entry { return text(of(p)) })
	}
	number("", "events/s", func(p livePoint) string { return table.Thousands(p.Rate) })
	number("response time", "p50", func(p livePoint) string { return duration(p.within(.5)) })
	number("response time", "p99", func(p livePoint) string { return duration(p.within(.99)) })
	add(table.Column{Group: "response time", Head: "p99.9", Right: true}, func(_ *LiveTest, p livePoint) table.Entry {
		switch {
		case p.Invalid != "":
			return table.Entry{Text: "invalid", Notes: t.KeyNote(p.Invalid)}
		case p.Overloaded():
			return table.Entry{Text: "overloaded"}
		}
		return text(duration(p.tail()))
	})
	number("response time", "max", func(p livePoint) string { return duration(p.within(1)) })
	number("", "answered", func(p livePoint) string { return digits(p.answered()) })
	number("", "batch", func(p livePoint) string { return digits(p.batch()) })
	if len(l.first.load.Limits) > 0 {
		number("", "late %", func(p livePoint) string { return table.Number(100*p.late, 2) })
	}
	metric := l.first.metric.Title
	best := len(t.Columns)
	for _, c := range []struct {
		head  string
		entry func(*LiveTest, *table.Table, livePoint) table.Entry
	}{{"under load", (*LiveTest).metricOf}, {"one by one", (*LiveTest).aloneOf}, {"lost, pp", (*LiveTest).lossOf}} {
		head := table.Column{Kind: table.Measured, Group: metric + " %", Metric: metric + " " + c.head, Head: c.head}
		add(head, func(test *LiveTest, p livePoint) table.Entry { return c.entry(test, &t.Table, p) })
	}
	rows := l.rows()
	t.addClasses(rows, func(row liveRow) protocol.Class { return row.model.Class }, func(made []table.Row) {
		learned := slices.DeleteFunc(slices.Clone(rows), func(row liveRow) bool { return row.model.Class != protocol.Learned })
		for _, rate := range l.first.load.Rates {
			var same []table.Row
			for i, row := range learned {
				if row.point != nil && row.point.Rate == rate {
					same = append(same, made[i])
				}
			}
			table.MarkBest(same, best, l.first.metric.HigherIsBetter)
		}
	})
	t.Legend = l.legend(true, t.Table)
	return t.Table
}

// rows returns those of all models: the rates of the spec, without those of searches.
func (l *livePlace) rows() (out []liveRow) {
	for _, test := range l.tests {
		if test.Failed() {
			out = append(out, liveRow{test, nil, true})
			continue
		}
		first := true
		for i, p := range test.points {
			if !p.Searched {
				out, first = append(out, liveRow{test, &test.points[i], first}), false
			}
		}
	}
	return out
}

// metricOf returns the metric of the answers of a point. That of the model null says
// nothing.
func (t *LiveTest) metricOf(in *table.Table, p livePoint) table.Entry {
	if t.model.Class == protocol.Null || !p.metric.Present() {
		return table.Entry{}
	}
	e := table.Entry{Value: inPercent(p.metric), Unranked: p.caveat != "" || !p.isKept()}
	if p.events < t.Live.Events {
		e.Unranked = true
		e.Notes = in.Note(fmt.Sprintf("of the first %s events of %s: there was no time for more", table.Thousands(p.events), table.Thousands(t.Live.Events)))
	}
	if p.caveat != "" {
		e.Notes = append(e.Notes, in.Note(p.caveat+": the value is uninformative")...)
	}
	return e
}

// aloneOf returns the metric of the same events one by one.
func (t *LiveTest) aloneOf(in *table.Table, p livePoint) table.Entry {
	if t.model.Class == protocol.Null || !p.alone.Present() {
		return table.Entry{}
	}
	e := table.Entry{Value: inPercent(p.alone)}
	if p.aloneEvents < p.events {
		e.Notes = in.Note(fmt.Sprintf("of the first %s events, as is what is lost: there was no time for more one by one", table.Thousands(p.aloneEvents)))
	}
	return e
}

// lossOf returns by how much the metric is worse than one by one.
func (t *LiveTest) lossOf(_ *table.Table, p livePoint) table.Entry {
	if t.model.Class == protocol.Null || !p.lost.mean.Present() {
		return table.Entry{}
	}
	v := inPercent(p.lost.mean)
	v.Low, v.High = inPercent(p.lost.low).Mean, inPercent(p.lost.high).Mean
	return table.Entry{Value: v}
}

// inPercent returns a fraction with the decimals of tables; nothing is -0.00.
func inPercent(x optional.Number) *table.Value {
	return table.NewValue(math.Round(1e4*float64(x))/100+0, 2)
}

// digits formats a number above zero with three significant digits; empty where it is
// absent.
func digits(x optional.Number) string {
	if !x.Present() {
		return ""
	}
	rounded := round(x, 3)
	return table.Number(optional.Number(rounded), max(0, 2-int(math.Floor(math.Log10(rounded)))))
}

// duration formats seconds with two significant digits; empty where they are absent.
func duration(seconds optional.Number) string {
	if !seconds.Present() {
		return ""
	}
	return time.Duration(round(1e9*seconds, 2)).String()
}

// round rounds a number to significant digits.
func round(x optional.Number, n int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'e', n-1, 64), 64)
	return must(rounded, err)
}

// legend explains a table of the place.
func (l *livePlace) legend(load bool, t table.Table) []string {
	first := l.first
	out := []string{"response time: from when an event was due to its answer"}
	if load {
		out = append(out, "events/s: due on average; answered: events a second", "batch: mean number of events that were due and answered at once")
		if len(first.load.Limits) > 0 {
			out = append(out, fmt.Sprintf("late: answered more than %s after they were due", first.load.Limits[0]))
		}
		out = append(out, fmt.Sprintf("p99.9: from %s answers on", table.Thousands(protocol.FewestAnswers)))
	}
	has := func(word string) bool {
		return slices.ContainsFunc(slices.Concat(t.Blocks...), func(row table.Row) bool {
			return slices.ContainsFunc(row, func(e table.Entry) bool { return strings.HasPrefix(e.Text, word) })
		})
	}
	if has("overloaded") {
		out = append(out, "overloaded: the backlog still grew at the end, so response times grow with the time that is measured")
	}
	if has("≥") {
		out = append(out, "≥: at least; higher rates were not measured, or measure the machine")
	}
	out = append(out,
		"one by one: the same events, each from the state after all before it; states are those of replay",
		"lost: from one by one to this rate, in percentage points, [low, high] over events, paired (95%)",
		arrivalWords[first.load.Arrivals], fmt.Sprintf("at most %s in a batch", Count(first.load.LargestBatch, "event")),
		first.Machine, fmt.Sprintf("%d threads, %s", first.Threads, first.Device))
	switch {
	case first.Live == nil:
	case first.load.Simulated:
		out = append(out, "simulated clock: a batch takes the mean time of its size in the measured run of "+first.Live.Run+", and nothing else takes any")
	default:
		if first.Live.Load.Present() {
			out = append(out, fmt.Sprintf("load %.1f when the run started", float64(first.Live.Load)))
		}
		out = append(out, "run of "+first.Live.Run)
	}
	return append(out, noValueLegend)
}

// arrivalWords say when events are due.
var arrivalWords = map[specs.Arrivals]string{
	specs.Poisson:     "arrivals: Poisson",
	specs.Fixed:       "arrivals: at a fixed rate",
	specs.StreamTimes: "arrivals: the stream's own times, compressed to the rate",
}
