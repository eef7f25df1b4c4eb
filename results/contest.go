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
	slices.SortStableFunc(c.ranked, func(a, b rival) int { return fromBest(metric, a.value, b.value) })
	return c
}

// best returns the best of a class.
func (c contest) best(class protocol.Class) (rival, bool) {
	return lists.Find(c.ranked, func(m rival) bool { return m.Class == class })
}

// compared returns the comparison of two models; not with a single seed of a
// learned one, whose differences are not tested.
func (c contest) compared(a, b rival) (Comparison, bool) {
	x, ok := comparisonOf(c.in.comparisons, c.head.Candidates, c.metric.Name, a.Cell, b.Cell)
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
	if details := lists.NonEmpty(c.beaten(learned), c.cheapest(level)); len(details) > 0 {
		a.Details = []string{strings.ToUpper(details[0][:1]) + strings.Join(details, "; ")[1:] + "."}
	}
	return a, true
}

// ruleWords say what the models of a class that is not learned are.
var ruleWords = map[protocol.Class]string{protocol.ZeroParameter: "a rule", protocol.SingleColumn: "a single column"}

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
		deployed   bool            // the form that is the fastest
		seconds    optional.Number // of a batch
		events     int             // of the batch
		parameters int
	}
	timed := false
	costs := lists.Map(level, func(m rival) cost {
		out := cost{rival: m, seconds: optional.Absent(), parameters: c.in.parameters(m.CellKey)}
		for i, variant := range []string{m.Variant, specs.DeployedVariant(m.Variant)} {
			t, ok := c.in.test(c.head, ModelHead{ID: m.Model, Variant: variant})
			if !ok || t.Failed() || m.Task != t.Key.Task {
				continue
			}
			seconds := optional.Number(t.times[0].mean() / float64(t.times[0].Batches))
			if !out.seconds.Present() || seconds < out.seconds {
				out.seconds, out.events, out.deployed = seconds, t.times[0].Batch, i > 0
			}
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
		if least.deployed {
			return "deployed, it takes " + size
		}
		return "it takes " + size
	case len(level) == 1:
		return ""
	case timed && least.deployed:
		return fmt.Sprintf("the fastest of %s is %s, deployed: %s", these, least.title(), size)
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
