package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// Summary is the answer of a report before its tables.
type Summary struct {
	Answers []Answer // one a dataset, task and setting, in the order of the suite
	Failed  []string // a model at a place each, with the first reason
	Remarks []string // what was trained too short
}

// Answer says which model is best at one place.
type Answer struct {
	Best    string   // a sentence with the place, the best model and those that cannot be told apart from it
	Details []string // whether rules and single columns are beaten; what is the cheapest
}

// maxSummary is the number of lines that a summary has at most.
const maxSummary = 15

// maxFailed is the number of its lines for what failed.
const maxFailed = 5

// Lines returns the summary in lines of a width, at most maxSummary of them: what
// does not fit is left out, details before answers, and the last line says so.
func (s Summary) Lines(width int) []string {
	type item struct {
		text, indent string
		rank         int // those of a lower rank are taken first
	}
	var items []item
	ranks := 3
	for _, a := range s.Answers {
		items = append(items, item{a.Best, "", 1})
		for i, d := range a.Details {
			items = append(items, item{d, "  ", 3 + i})
			ranks = max(ranks, 4+i)
		}
	}
	for _, f := range s.Failed {
		items = append(items, item{cut(f, width-8), "", 0})
	}
	if len(s.Failed) > maxFailed {
		items = append(items[:len(items)-len(s.Failed)+maxFailed-1], item{fmt.Sprintf("Failed: %d more", len(s.Failed)-maxFailed+1), "", 0})
	}
	for _, r := range s.Remarks {
		items = append(items, item{r, "", 2})
	}
	lines := make([][]string, len(items)) // of the items that are taken
	left, dropped := maxSummary-1, 0
	for rank := range ranks {
		for i, it := range items {
			if it.rank != rank {
				continue
			}
			wrapped := table.Wrap(it.text, width-4)
			if len(wrapped) > left {
				dropped++
				continue
			}
			left -= len(wrapped)
			for k, line := range wrapped {
				if k > 0 {
					line = "  " + line
				}
				lines[i] = append(lines[i], it.indent+line)
			}
		}
	}
	out := slices.Concat(lines...)
	if dropped > 0 {
		out = append(out, fmt.Sprintf("%s more: see the tables", Count(dropped, "sentence")))
	}
	return out
}

// Sentences lists all that the summary says.
func (s Summary) Sentences() (out []string) {
	for _, a := range s.Answers {
		out = append(out, strings.Join(append([]string{a.Best}, a.Details...), " "))
	}
	return slices.Concat(out, s.Failed, s.Remarks)
}

// cut returns a text of at most n runes, with … where it is longer.
func cut(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}

// rival is a cell with its value of the headline.
type rival struct {
	*Cell
	value optional.Number // a fraction
}

func (c rival) String() string { return fmt.Sprintf("%s (%.1f)", c.title(), 100*c.value) }

// title returns that of the model, or what the validation chose it to be.
func (c rival) title() string { return cmp.Or(c.chosen, c.Cell.title()) }

// contest is what is compared at one place.
type contest struct {
	in     Input
	head   DatasetHead // with the candidates of the headline
	metric metrics.Metric
	ranked []rival // from the best down, without oracles and degenerate values
}

// newSummary answers for every place of the suite.
func newSummary(in Input, chosen []specs.Table) (Summary, error) {
	var s Summary
	var rising []string
	for _, l := range []struct {
		Layout
		task protocol.Task
	}{{in.Classification, protocol.NodeClassification}, {in.Links, protocol.LinkPrediction}} {
		shown, err := shownMetrics(l.task, chosen)
		if err != nil {
			return s, err
		}
		for _, d := range l.Datasets {
			for _, setting := range l.Settings {
				cells := in.cellsAt(d, l.task, setting)
				where := d.Title
				if setting != "" {
					where += ", " + string(setting)
				}
				c := newContest(in, d, shown[0], cells)
				if a, ok := c.answer(where); ok {
					if others := c.byOthers(shown[1:], cells); others != "" {
						a.Details = append(a.Details, others)
					}
					s.Answers = append(s.Answers, a)
				}
				rising = appendNonEmpty(rising, where, risingOf(cells))
				for _, f := range failuresOf(cells) {
					s.Failed = append(s.Failed, "Failed: "+where+": "+f+".")
				}
			}
		}
	}
	if len(rising) > 0 {
		s.Remarks = append(s.Remarks, fmt.Sprintf("Undertrained (the validation metric still improved in the last epoch): %s; run the same command with --epochs %d.",
			strings.Join(rising, "; "), 2*longest(in.Records)))
	}
	return s, nil
}

// shownMetrics returns the metrics of the first table that chooses some of the task,
// or the task's own that are printed. Models are ranked by the first.
func shownMetrics(task protocol.Task, chosen []specs.Table) ([]metrics.Metric, error) {
	for _, t := range chosen {
		var shown []metrics.Metric
		for _, name := range t.Metrics {
			m, err := metrics.Lookup(name)
			if err != nil {
				return nil, err
			}
			if m.Task == task {
				shown = append(shown, m)
			}
		}
		if len(shown) > 0 {
			return shown, nil
		}
	}
	return slices.DeleteFunc(metrics.Of(task), func(m metrics.Metric) bool { return !m.Printed }), nil
}

// byOthers names the models that are the best by other metrics, where these are not
// the best by the headline.
func (c contest) byOthers(others []metrics.Metric, cells []*Cell) string {
	var names, out []string
	values := map[string][]string{}
	for _, m := range others {
		by := newContest(c.in, c.head, m, cells)
		ours, ok := lists.Find(by.ranked, func(r rival) bool { return r.Cell == c.ranked[0].Cell })
		if ok && by.ranked[0].value != ours.value && !by.level(by.ranked[0], ours) {
			best := by.ranked[0]
			names = appendNew(names, best.title())
			values[best.title()] = append(values[best.title()], fmt.Sprintf("%s (%.1f)", m.Title, 100*best.value))
		}
	}
	for _, name := range names {
		out = append(out, fmt.Sprintf("Best by %s: %s.", strings.Join(values[name], ", "), name))
	}
	return strings.Join(out, " ")
}

// appendNonEmpty appends "where: names" if there are any names.
func appendNonEmpty(list []string, where string, names []string) []string {
	if len(names) == 0 {
		return list
	}
	return append(list, where+": "+strings.Join(names, ", "))
}

// cellsAt returns the cells of a place.
func (in Input) cellsAt(d DatasetHead, task protocol.Task, setting protocol.Setting) []*Cell {
	var out []*Cell
	for i := range in.Cells {
		if c := &in.Cells[i]; c.Dataset == d.ID && c.Case == d.Case && c.Task == task && c.Setting == setting {
			out = append(out, c)
		}
	}
	return out
}

// newContest ranks cells by the headline metric.
func newContest(in Input, d DatasetHead, metric metrics.Metric, cells []*Cell) contest {
	if metric.Task == protocol.LinkPrediction && len(in.Links.Candidates) > 0 {
		d.Candidates = in.Links.Candidates[0]
	}
	c := contest{in: in, head: d, metric: metric}
	for _, cell := range cells {
		r, ok := cell.testRow(d, c.metric.Name)
		if ok && r.Mean.Present() && !r.Degenerate && cell.Class != protocol.Oracle {
			c.ranked = append(c.ranked, rival{cell, r.Mean})
		}
	}
	slices.SortStableFunc(c.ranked, func(a, b rival) int {
		if !c.metric.HigherIsBetter {
			a, b = b, a
		}
		return cmp.Compare(b.value, a.value)
	})
	return c
}

// best returns the best of a class.
func (c contest) best(class protocol.Class) (rival, bool) {
	return lists.Find(c.ranked, func(m rival) bool { return m.Class == class })
}

// compared returns the comparison of two models; not with a single seed of a
// learned one, whose differences are not tested.
func (c contest) compared(a, b rival) (Comparison, bool) {
	is := func(m Compared, o rival) bool { return m.Model == o.Model && m.Variant == o.Variant }
	x, ok := lists.Find(c.in.comparisons, func(x Comparison) bool {
		return x.CellKey == a.Place() && x.Candidates == c.head.Candidates && x.Metric == c.metric.Name &&
			(is(x.Better, a) && is(x.Other, b) || is(x.Better, b) && is(x.Other, a))
	})
	return x, ok && x.Adjusted.Present()
}

// level reports whether two models cannot be told apart.
func (c contest) level(a, b rival) bool {
	x, tested := c.compared(a, b)
	return a.Cell == b.Cell || tested && !x.Significant()
}

// answer makes the sentences about a place. There are none where nothing has
// a value.
func (c contest) answer(where string) (Answer, bool) {
	if len(c.ranked) == 0 {
		return Answer{}, false
	}
	value := c.metric.Title
	if c.head.Candidates != "" {
		value += " against " + candidates[c.head.Candidates].words
	}
	first := c.ranked[0]
	value = fmt.Sprintf("%s %.1f %%", value, 100*first.value)
	a := Answer{Best: fmt.Sprintf("%s, %s: %s", taskTitles[first.Task], where, first.title())}
	learned, ok := c.best(protocol.Learned)
	switch {
	case !ok:
		a.Best += fmt.Sprintf(", %s, is best: %s.", ruleWords[first.Class], value)
		return a, true
	case first.Cell == learned.Cell:
		a.Best += " is best: " + value
	default:
		a.Best += fmt.Sprintf(", %s, is best: %s; the best learned model is %s", ruleWords[first.Class], value, learned)
		if c.level(learned, first) {
			a.Best += ", not told apart from it"
		}
	}
	level := slices.DeleteFunc(slices.Clone(c.ranked), func(m rival) bool { return m.Class != protocol.Learned || !c.level(learned, m) })
	if others := lists.Map(level[1:], rival.String); len(others) > 0 {
		from := "it"
		if first.Cell != learned.Cell {
			from = learned.title()
		}
		a.Best += "; not told apart from " + from + ": " + shortList(others)
	}
	a.Best += "."
	if details := nonEmpty(c.beaten(learned), c.cheapest(level)); len(details) > 0 {
		a.Details = []string{strings.ToUpper(details[0][:1]) + strings.Join(details, "; ")[1:] + "."}
	}
	return a, true
}

// ruleWords say what the models of a class that is not learned are.
var ruleWords = map[protocol.Class]string{protocol.ZeroParameter: "a rule", protocol.SingleColumn: "a single column"}

// nonEmpty returns the texts that are not empty.
func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// taskTitles begin sentences.
var taskTitles = map[protocol.Task]string{
	protocol.NodeClassification: "Node classification",
	protocol.LinkPrediction:     "Link prediction",
}

// shortList joins names, or the first ones and the number of the others.
func shortList(names []string) string {
	const limit = 5
	if len(names) > limit {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
	}
	return strings.Join(names, ", ")
}

// beaten says whether the best learned model beats the best of each class that
// learns nothing, unless that is the best of all.
func (c contest) beaten(learned rival) string {
	var out []string
	said := "" // the verb of the class before
	for _, class := range []protocol.Class{protocol.ZeroParameter, protocol.SingleColumn} {
		rule, ok := c.best(class)
		if !ok || rule.Cell == c.ranked[0].Cell {
			continue
		}
		verb := "beats"
		switch _, tested := c.compared(learned, rule); {
		case !tested:
			verb = "has, by a single seed, another value than"
		case c.level(learned, rule):
			verb = "is not told apart from"
		case (rule.value > learned.value) == c.metric.HigherIsBetter:
			verb = "is worse than"
		}
		text := fmt.Sprintf("the best %s, %s", strings.TrimPrefix(ruleWords[class], "a "), rule)
		if verb != said {
			text = verb + " " + text
		}
		out, said = append(out, text), verb
	}
	if len(out) == 0 {
		return ""
	}
	return "it " + strings.Join(out, ", and ")
}

// cheapest names the cheapest of the models that are level: by the latency tests
// of those that have one, or by the number of parameters where none has.
func (c contest) cheapest(level []rival) string {
	type cost struct {
		rival
		seconds    optional.Number // of a batch
		events     int             // of the batch
		parameters int
	}
	timed := false
	costs := lists.Map(level, func(m rival) cost {
		out := cost{rival: m, seconds: optional.Absent(), parameters: c.in.parameters(m.CellKey)}
		t, ok := c.in.test(c.head, ModelHead{ID: m.Model, Variant: m.Variant})
		if ok && !t.Failed() && m.Task == t.Key.Task {
			out.seconds, out.events = optional.Number(t.times[0].mean()/float64(t.times[0].Batches)), t.times[0].Batch
			timed = true
		}
		return out
	})
	these := "these"
	if timed {
		costs = slices.DeleteFunc(costs, func(x cost) bool { return !x.seconds.Present() })
	}
	if len(costs) < len(level) {
		these = "those that were timed"
	}
	least := slices.MinFunc(costs, func(a, b cost) int {
		if timed {
			return cmp.Compare(a.seconds, b.seconds)
		}
		return cmp.Compare(a.parameters, b.parameters)
	})
	size := fmt.Sprintf("%s parameters", table.Thousands(least.parameters))
	if timed {
		size = fmt.Sprintf("%s a batch of %d, %s", roundTime(float64(least.seconds)), least.events, size)
	}
	switch {
	case len(level) == 1 && timed:
		return "it takes " + size
	case len(level) == 1:
		return ""
	case timed:
		return fmt.Sprintf("the fastest of %s is %s: %s", these, least.title(), size)
	}
	return fmt.Sprintf("the smallest of these is %s: %s", least.title(), size)
}

// roundTime formats seconds with two or three digits.
func roundTime(seconds float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if x := seconds / unit.size; x >= 1 {
			return fmt.Sprintf("%.3g %s", x, unit.name)
		}
	}
	return fmt.Sprintf("%.2g µs", seconds*1e6)
}

// parameters returns the number of learned parameters of a cell's model.
func (in Input) parameters(key record.CellKey) int {
	r, _ := lists.Find(in.Records, func(r record.Record) bool {
		return r.Key.Dataset == key.Dataset && r.Key.Task == key.Task && r.Key.Setting == key.Setting &&
			r.Key.Model == key.Model && r.Key.Variant == key.Variant && !r.Failed()
	})
	return r.NumParams
}

// risingOf lists the models whose validation metric still rose in the last
// epoch of at least half of their seeds.
func risingOf(cells []*Cell) (out []string) {
	for _, c := range cells {
		if c.undertrained() {
			out = append(out, fmt.Sprintf("%s (%d of %s)", c.title(), c.Rising, Count(c.Seeds, "seed")))
		}
	}
	return out
}

// failuresOf lists the models of which trials failed, with the first reason.
func failuresOf(cells []*Cell) (out []string) {
	for _, c := range cells {
		if n := len(c.Failures); n > 0 {
			out = append(out, fmt.Sprintf("%s, %d of %s (%s)", c.title(), n, Count(n+c.Seeds, "seed"), c.Failures[0]))
		}
	}
	return out
}

// longest returns the largest number of epochs that a learned model was trained for.
func longest(records []record.Record) (epochs int) {
	for _, r := range records {
		if r.ModelClass == protocol.Learned {
			epochs = max(epochs, len(r.Epochs))
		}
	}
	return epochs
}
