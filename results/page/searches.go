package page

import (
	"fmt"
	"maps"
	"slices"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// Search is what a search of hyper-parameters tried for one model at one
// place. Values are fractions, of the validation part.
type Search struct {
	Model, Dataset string
	Task           protocol.Task
	Setting        protocol.Setting
	Metric         metrics.Metric // that is improved
	Seed           uint64
	Own            optional.Number // with the model's own options
	Trials         []Tried         // by number

	id, title string // in the page, and that of the model
}

// Tried is a trial of a search.
type Tried struct {
	Number  int
	Phase   string            // random or tpe
	Options map[string]string // what was searched, by name
	Value   optional.Number   // absent where the trial failed
	Error   string
	Epochs  int
	Seconds float64
}

// searches tabulates what every search found, then draws those of each place
// and lists their trials.
func searches(p Page) (section, error) {
	s := section{
		ID: "tuning", Title: "Tuning", Open: true,
		Intro: "Every trial of a search by its value on the validation part, which is optimistic, because the best trial was selected by it. Round: random options; " +
			"triangles: proposed by TPE; the line is the best so far, dashed: the model's own options. Every drawing has its own scale.",
	}
	overall := table.New("model", "dataset, task", "metric", "own options", "best trial", "gain", "trial", "trials", "failed")
	overall.Name, overall.Title, overall.Heads = "tuning-best", "What the searches found: validation, in %", 1
	for _, same := range lists.GroupBy(p.titledSearches(), Search.place) {
		place := same[0].place()
		here := part{ID: "tuning-" + placeID(place), Title: placeTitle(place), Note: results.Count(len(same), "model"), Dataset: place.Dataset}
		overall.NextBlock()
		for _, t := range same {
			here.Charts = append(here.Charts, chart{t.title, t.draw()})
			here.Folded = append(here.Folded, folded{"Every trial of " + t.Model, t.title, []table.Table{t.table()}})
			overall.Add(t.row()...)
		}
		s.Parts = append(s.Parts, here)
	}
	if len(s.Parts) > 0 {
		s.Parts = slices.Insert(s.Parts, 0, part{Tables: []table.Table{overall}})
	}
	return s, nil
}

// titledSearches returns all searches. Models have their names for readers, and
// that of the folder where there are several.
func (p Page) titledSearches() []Search {
	var out []Search
	for _, f := range p.Folders {
		for i, search := range f.Searches {
			own := func(r record.Record) bool { return r.Key.Model == search.Model && r.Key.Variant == "" }
			if at := slices.IndexFunc(f.Records, own); at >= 0 {
				search.Model = f.Records[at].ModelTitle
			}
			search.title = search.Model
			search.Model += f.after
			search.id = table.Identifier("tuning", f.label, fmt.Sprint(i))
			out = append(out, search)
		}
	}
	return out
}

func (s Search) place() record.CellKey {
	return record.CellKey{Dataset: s.Dataset, Task: s.Task, Setting: s.Setting}
}

// best returns the first of the best trials; false where all failed.
func (s Search) best() (best Tried, ok bool) {
	for _, t := range s.Trials {
		if t.Value.Present() && (!ok || s.Metric.Better(float64(t.Value), float64(best.Value))) {
			best, ok = t, true
		}
	}
	return best, ok
}

// row returns the search in the table of all.
func (s Search) row() []any {
	failed := 0
	for _, t := range s.Trials {
		if !t.Value.Present() {
			failed++
		}
	}
	best, ok := s.best()
	value, gain, trial := table.NoValue, table.NoValue, table.NoValue
	if ok {
		value, trial = percent(best.Value), fmt.Sprintf("%d, %s", best.Number, best.Phase)
	}
	if ok && s.Own.Present() {
		gain = fmt.Sprintf("%+.2f", 100*(best.Value-s.Own))
	}
	return []any{s.Model, placeTitle(s.place()), s.Metric.Title, percent(s.Own), value, gain, trial, len(s.Trials), failed}
}

func (s Search) draw() figure.Chart {
	points := map[string][]figure.Point{} // by phase
	var best []figure.Point
	last := 0
	for _, t := range s.Trials {
		last = max(last, t.Number)
		if !t.Value.Present() {
			continue
		}
		at := figure.At(float64(t.Number), 100*float64(t.Value))
		points[t.Phase] = append(points[t.Phase], at)
		if n := len(best); n > 0 && !s.Metric.Better(at.Y.Mean, best[n-1].Y.Mean) {
			at.Y = best[n-1].Y
		}
		best = append(best, at)
	}
	own := 100 * float64(s.Own)
	return figure.Chart{
		ID: s.id, Title: s.Model, Summary: s.sentence(),
		Description: "Value of every trial by its number, the best so far as a line, the model's own options as a dashed line.",
		Panels: []figure.Panel{{
			Title: "validation " + s.Metric.Title + " % by trial", X: figure.Axis{Max: float64(last), Scale: figure.Whole},
			Series: []figure.Series{
				{Class: "own", Line: figure.Dashed, Points: []figure.Point{figure.At(0, own), figure.At(float64(last), own)}},
				{Class: "best", Line: figure.Steps, Points: best},
				{Class: "random", Mark: figure.Dot, Points: points["random"]},
				{Class: "tpe", Mark: figure.Triangle, Points: points["tpe"]},
			},
		}},
	}
}

func (s Search) sentence() string {
	best, ok := s.best()
	if len(s.Trials) == 0 {
		return "No trial yet."
	}
	if !ok {
		return fmt.Sprintf("All of %s failed.", results.Count(len(s.Trials), "trial"))
	}
	return fmt.Sprintf("Best of %s: %s %s %%, trial %d (%s); own options: %s %%.",
		results.Count(len(s.Trials), "trial"), s.Metric.Title, percent(best.Value), best.Number, best.Phase, percent(s.Own))
}

// table has a row for each trial and a column for each option.
func (s Search) table() table.Table {
	all := map[string]string{}
	for _, t := range s.Trials {
		maps.Copy(all, t.Options)
	}
	options := slices.Sorted(maps.Keys(all))
	t := table.New(append([]string{"trial", "phase", s.Metric.Title + " %", "epochs", "seconds"}, options...)...)
	t.Name, t.Title = s.id+"-trials", fmt.Sprintf("Trials of %s on %s, seed %d", s.Model, placeTitle(s.place()), s.Seed)
	for _, tried := range s.Trials {
		value := percent(tried.Value)
		if tried.Error != "" {
			value = "failed: " + tried.Error
		}
		row := []any{tried.Number, tried.Phase, value, tried.Epochs, fmt.Sprintf("%.1f", tried.Seconds)}
		for _, name := range options {
			row = append(row, tried.Options[name])
		}
		t.Add(row...)
	}
	return t
}
