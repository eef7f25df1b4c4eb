package results

import (
	"fmt"
	"slices"
	"strings"

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
	Dataset string
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
			if d.Further { // as at the first size
				continue
			}
			for _, setting := range l.Settings {
				cells := in.cellsAt(d, l.task, setting)
				where := d.Title
				if setting != "" {
					where += ", " + string(setting)
				}
				c := newContest(in, d, shown[0], cells)
				if a, ok := c.answer(where); ok {
					a.Dataset = d.ID
					if best, ok := c.best(protocol.Learned); ok && d.Events > 0 {
						a.Details = append(a.Details, in.byBatch(l.Layout, c.head, best.Cell, shown[0]))
					}
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
	answers, failed := in.liveAnswers()
	s.Answers, s.Failed = append(s.Answers, answers...), append(s.Failed, failed...)
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
