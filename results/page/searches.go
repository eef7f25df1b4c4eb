package page

import (
	"fmt"
	"html/template"
	"maps"
	"slices"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/table"
)

// Search is what a search of hyper-parameters tried for one model at one
// place. Values are fractions, of the validation part.
type Search struct {
	Model, Dataset string
	Task           protocol.Task
	Setting        protocol.Setting
	Metric         string // its title
	Seed           uint64
	Own            optional.Number // with the model's own options
	Trials         []Tried         // by number
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

// searches tells what every search found, then draws those of each place and
// lists their trials.
func searches(p Page) (section, error) {
	s := section{
		ID: "tuning", Title: "Tuning",
		Intro: "Every trial of a search by its value on the validation part, which is too good by having been chosen. Round: random options; " +
			"triangles: proposed by TPE; the line is the best so far, dashed: the model's own options. Every drawing has its own scale.",
	}
	overall := table.Table{
		Name: "tuning-best", Title: "What the searches found: validation, in %", Heads: 1,
		Columns: columns("model", "dataset, task", "metric", "own options", "best trial", "gain", "trial", "trials", "failed"),
	}
	for _, same := range groups(p.found(), func(f found) place { return f.place() }) {
		here, err := searchesOf(same)
		if err != nil {
			return s, err
		}
		s.Parts = append(s.Parts, here)
		var rows []table.Row
		for _, f := range same {
			rows = append(rows, f.row())
		}
		overall.Blocks = append(overall.Blocks, rows)
	}
	if len(s.Parts) == 0 {
		return s, nil
	}
	table, err := render(overall)
	s.Parts = slices.Insert(s.Parts, 0, part{Tables: []template.HTML{table}})
	return s, err
}

// found is a search in the page, its model named with its folder.
type found struct {
	Search
	id string
}

// found are the searches of all folders.
func (p Page) found() []found {
	var out []found
	for _, f := range p.Folders {
		titles := f.titles()
		for i, search := range f.Searches {
			if title, ok := titles[model{id: search.Model}]; ok {
				search.Model = title
			}
			if p.several() {
				search.Model += ", " + f.label
			}
			out = append(out, found{search, identifier("tuning", f.label, fmt.Sprint(i))})
		}
	}
	return out
}

// searchesOf shows the searches of one place.
func searchesOf(same []found) (part, error) {
	at := same[0].place()
	here := part{ID: "tuning-" + at.id(), Title: at.String()}
	for _, f := range same {
		here.Charts = append(here.Charts, f.draw(f.id))
		trials, err := render(f.table(f.id))
		if err != nil {
			return here, err
		}
		here.Folded = append(here.Folded, folded{"Every trial of " + f.Model, []template.HTML{trials}})
	}
	return here, nil
}

func (s Search) place() place { return place{dataset: s.Dataset, task: s.Task, setting: s.Setting} }

func (s Search) title() string { return s.Model + " on " + s.place().String() }

// best is the first of the highest trials; false where all failed.
func (s Search) best() (Tried, bool) {
	var out Tried
	found := false
	for _, t := range s.Trials {
		if t.Value.Present() && (!found || t.Value > out.Value) {
			out, found = t, true
		}
	}
	return out, found
}

func (s Search) row() table.Row {
	failed := 0
	for _, t := range s.Trials {
		if !t.Value.Present() {
			failed++
		}
	}
	best, ok := s.best()
	value, gain, trial := "–", "–", "–"
	if ok {
		value, trial = percent(best.Value), fmt.Sprintf("%d, %s", best.Number, best.Phase)
	}
	if ok && s.Own.Present() {
		gain = fmt.Sprintf("%+.2f", 100*(best.Value-s.Own))
	}
	return words(s.Model, s.place().String(), s.Metric, percent(s.Own), value, gain, trial, fmt.Sprint(len(s.Trials)), fmt.Sprint(failed))
}

func percent(n optional.Number) string {
	if !n.Present() {
		return "–"
	}
	return fmt.Sprintf("%.2f", 100*float64(n))
}

func (s Search) draw(id string) chart {
	c := newChart(id, s.Model, "validation "+s.Metric+" % by trial")
	c.Drawn = "Value of every trial by its number, the best so far as a line, the model's own options as a dashed line."
	c.Says = s.sentence()
	marks := map[string][]point{}
	var best []point
	values := []float64{100 * float64(s.Own)}
	last := 0
	for _, t := range s.Trials {
		at := point{float64(t.Number), 100 * float64(t.Value)}
		last = max(last, t.Number)
		if !t.Value.Present() {
			continue
		}
		marks[t.Phase], values = append(marks[t.Phase], at), append(values, at.y)
		if n := len(best); n > 0 {
			best = append(best, point{at.x, best[n-1].y})
			at.y = max(at.y, best[n-1].y)
		}
		best = append(best, at)
	}
	pane := c.Panes[0]
	pane.axes(axis{max: float64(last), whole: true}, spanning(values))
	pane.lines("own", []point{{0, values[0]}, {float64(last), values[0]}})
	pane.lines("best", best)
	pane.dots("random", marks["random"])
	pane.triangles("tpe", marks["tpe"])
	return c
}

func (s Search) sentence() string {
	best, ok := s.best()
	if len(s.Trials) == 0 {
		return "No trial yet."
	}
	if !ok {
		return fmt.Sprintf("All of %s failed.", count(len(s.Trials), "trial"))
	}
	return fmt.Sprintf("Best of %s: %s %s %%, trial %d (%s); own options: %s %%.",
		count(len(s.Trials), "trial"), s.Metric, percent(best.Value), best.Number, best.Phase, percent(s.Own))
}

// table has a row for each trial and a column for each option.
func (s Search) table(id string) table.Table {
	names := map[string]bool{}
	for _, t := range s.Trials {
		for name := range t.Options {
			names[name] = true
		}
	}
	options := slices.Sorted(maps.Keys(names))
	t := table.Table{
		Name: id + "-trials", Title: fmt.Sprintf("Trials of %s, seed %d", s.title(), s.Seed),
		Columns: columns(append([]string{"trial", "phase", s.Metric + " %", "epochs", "seconds"}, options...)...),
		Blocks:  make([][]table.Row, 1),
	}
	for _, tried := range s.Trials {
		value := percent(tried.Value)
		if tried.Error != "" {
			value = "failed: " + tried.Error
		}
		row := []string{fmt.Sprint(tried.Number), tried.Phase, value, fmt.Sprint(tried.Epochs), fmt.Sprintf("%.1f", tried.Seconds)}
		for _, name := range options {
			row = append(row, tried.Options[name])
		}
		t.Blocks[0] = append(t.Blocks[0], words(row...))
	}
	return t
}
