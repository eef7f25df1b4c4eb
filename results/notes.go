package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// fewPositives is the number of positives in the test part below which a
// table warns.
const fewPositives = 30

// classNotes are the reasons why rows are not ranked.
var classNotes = map[protocol.Class]string{
	protocol.ZeroParameter: "a rule with nothing to learn: one run, outside the ranking",
	protocol.SingleColumn:  "the score is a column of the features, chosen with its sign on earlier parts: one run, outside the ranking",
	protocol.Oracle:        "upper bound, not attainable: knows the simulator's hidden state; outside the ranking",
	protocol.Null:          "answers at once: what the machine and this program take",
}

// dataNotes returns the notes about the data of a cell.
func dataNotes(c *Cell) []string {
	out := slices.Clone(c.Notes)
	if c.Task == protocol.NodeClassification && c.Positives > 0 && c.Positives < fewPositives {
		out = append(out, fmt.Sprintf("only %s in the test part: differences between models may be chance", Count(c.Positives, "positive event")))
	}
	return out
}

// datasetNotes returns those at the head of a dataset.
func (s *scores) datasetNotes(d DatasetHead) []string {
	var notes []string
	if s.leads(d) {
		notes = s.sharedNotes(d)
	}
	return append(notes, candidates[d.Candidates].note)
}

// sharedNotes returns the data notes that all cells of a dataset have, which
// are at its head.
func (s *scores) sharedNotes(d DatasetHead) []string {
	var lists [][]string
	for _, at := range s.all(s.Settings...) {
		if c := s.cell(d, at); c != nil && c.Seeds > 0 {
			lists = append(lists, dataNotes(c))
		}
	}
	return inAll(lists)
}

// inAll returns the texts of the first list that all lists have.
func inAll(lists [][]string) []string {
	if len(lists) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(lists[0]), func(text string) bool {
		return slices.ContainsFunc(lists, func(l []string) bool { return !slices.Contains(l, text) })
	})
}

// without returns the texts that are not among others.
func without(texts, others []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return slices.Contains(others, text) })
}

// setup returns the note on how our models were chosen: tuning, sizes and
// features.
func (s *scores) setup() string {
	type stateSize struct {
		model string
		size  int
		place string
	}
	tuned, states, features := "no model is tuned", []stateSize(nil), []string(nil)
	for _, d := range s.Datasets {
		for _, at := range s.all(s.Settings...) {
			c := s.cell(d, at)
			if c == nil || c.Class != protocol.Learned || c.Seeds == 0 {
				continue
			}
			if len(c.Searches) > 0 {
				tuned = "models are tuned where a footnote names the search, the others not"
			}
			if c.State > 0 {
				states = appendNew(states, stateSize{c.title(), c.State, cmp.Or(d.Place, d.Title)})
			}
			features = appendNew(features, fmt.Sprintf("%s %d", cmp.Or(d.Place, d.Title), c.Features))
		}
	}
	if len(features) == 0 {
		return ""
	}
	note := tuned + "; features of an event in the file: " + strings.Join(features, ", ")
	if len(states) > 0 {
		var sizes []string
		for _, of := range lists.GroupBy(states, func(s stateSize) string { return s.model }) {
			differ := slices.ContainsFunc(of, func(s stateSize) bool { return s.size != of[0].size })
			for _, s := range of {
				if text := fmt.Sprintf("%s %d", s.model, s.size); differ {
					sizes = append(sizes, text+" ("+s.place+")")
				} else {
					sizes = appendNew(sizes, text)
				}
			}
		}
		note += "; numbers kept of a node: " + strings.Join(sizes, ", ")
	}
	return note
}

// cellNotes returns the notes about one cell and not about the whole dataset.
func (s *scores) cellNotes(d DatasetHead, c *Cell, class protocol.Class) []string {
	out := without(dataNotes(c), s.sharedNotes(d))
	if class == protocol.Learned && c.Seeds > 0 && c.Seeds < fewestForStd {
		out = append(out, "fewer than three seeds: no deviation is shown")
	}
	if c.undertrained() {
		moved, more := "rose", "give more"
		if c.by.Name != "" && !c.by.HigherIsBetter {
			moved, more = "fell", "lower it further"
		}
		out = append(out, fmt.Sprintf("the validation metric still %s in the last epoch of %d of %s: longer training may %s",
			moved, c.Rising, Count(c.Seeds, "seed"), more))
	}
	return out
}

// alarms returns the notes about a cell that tell not to trust it.
func (c *Cell) alarms() (out []string) {
	if failed := len(c.Failures); failed > 0 {
		reasons := slices.Compact(slices.Sorted(slices.Values(c.Failures)))
		out = append(out, fmt.Sprintf("%d of %s failed: %s", failed, Count(failed+c.Seeds, "seed"), strings.Join(reasons, "; ")))
	}
	out = append(out, c.Duplicates...)
	if c.Stale {
		out = append(out, "from stale records: measured with another version of the numerics")
	}
	return out
}

// undertrained reports whether at least half of the seeds are rising.
func (c *Cell) undertrained() bool { return c.Rising > 0 && 2*c.Rising >= c.Seeds }

// rising reports whether the validation metric was best in the last epoch
// that the protocol allowed: longer training might have made it better. It is
// false where early stopping ended the training, and where there was one
// epoch only, which has nothing to rise from.
func rising(r record.Record) bool {
	var spec struct{ Protocol struct{ Epochs int } }
	last := len(r.Epochs) - 1
	if r.ModelClass != protocol.Learned || json.Unmarshal(r.Spec, &spec) != nil || len(r.Epochs) != spec.Protocol.Epochs || last < 1 {
		return false
	}
	by := r.SelectedBy()
	return !slices.ContainsFunc(r.Epochs[:last], func(e record.Epoch) bool {
		return !by.Better(float64(r.Epochs[last].Validation), float64(e.Validation))
	})
}

// paperNotes returns the reasons why the paper's values of a dataset cannot be
// compared directly with ours: versions of a dataset have names of their own,
// and each of the paper's models is the best of a search.
func (s *scores) paperNotes(d DatasetHead) []string {
	if d.PaperName == "" {
		return nil
	}
	var notes []string
	switch closed := catalogue().dataset(d.PaperName).Closed; {
	case strings.EqualFold(d.ID, d.PaperName):
	case closed != "":
		notes = append(notes, fmt.Sprintf("the paper's values are of %s itself: %s", d.PaperName, closed))
	default:
		notes = append(notes, fmt.Sprintf("the paper's values are of %s, of which %s is another version", d.PaperName, d.ID))
	}
	beside, tuned := false, false
	for _, at := range s.all(s.Settings...) {
		if c := s.cell(d, at); c != nil && c.Seeds > 0 && s.besidePaper(d, at, s.metrics...) {
			beside, tuned = true, tuned || len(c.Searches) > 0
		}
	}
	ours := "ours are not tuned"
	if tuned {
		ours = "of ours those are tuned whose footnotes name a search"
	}
	if beside {
		notes = append(notes, fmt.Sprintf("the paper's models are the best of %d trials each; %s", reference().Trials, ours))
	}
	return notes
}

// modelNotes returns the differences of one of our models from the paper's, and
// the searches that chose its options.
func (s *scores) modelNotes(d DatasetHead, at scoreRow, c *Cell) []string {
	if !s.besidePaper(d, at, s.metrics...) {
		return nil
	}
	var out []string
	if size := reference().States[s.task][at.model.ID]; size != 0 && c.State != 0 && c.State != size {
		out = append(out, fmt.Sprintf("a state of %d numbers, the paper's has %d", c.State, size))
	}
	for _, search := range c.Searches {
		out = append(out, "tuned: "+search)
	}
	return out
}

// besidePaper reports whether the paper gives a value beside ours, by any of the
// metrics. It ranks against all nodes.
func (s *scores) besidePaper(d DatasetHead, at scoreRow, by ...metrics.Metric) bool {
	return d.Candidates != protocol.Destinations && slices.ContainsFunc(by, func(x metrics.Metric) bool {
		return published(d, s.task, at, x).Value != nil
	})
}

// Count formats a number of things, as in "1 seed" and "2 seeds".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// legend explains what the entries of the table need.
func (s *scores) legend() []string {
	has := func(test func(c table.Column, e table.Entry) bool) bool {
		for _, row := range slices.Concat(s.Blocks...) {
			for c, e := range row {
				if test(s.Columns[c], e) {
					return true
				}
			}
		}
		return false
	}
	hasValue := func(test func(v *table.Value) bool) bool {
		return has(func(c table.Column, e table.Entry) bool {
			return c.Kind == table.Measured && e.Value != nil && test(e.Value)
		})
	}
	headline := s.metrics[0].Title
	if len(s.Datasets) > 0 && s.Datasets[0].Candidates != "" {
		headline += " against " + candidates[s.Datasets[0].Candidates].words
	}
	var from []string // the models from which differences are counted
	for _, d := range s.Datasets {
		if c := s.cell(d, scoreRow{"", ModelHead{ID: d.Against}}); c != nil {
			from = appendNew(from, c.title())
		}
	}
	by := s.metrics[0].Title
	if s.chosen && len(s.metrics) > 1 {
		by = "the metric of the column"
	}
	var out []string
	add := func(shown bool, line string) {
		if shown {
			out = append(out, line)
		}
	}
	add(s.task == protocol.LinkPrediction, "T: transductive, I: inductive")
	add(hasValue(func(v *table.Value) bool { return v.Std.Present() }), "±: standard deviation over seeds (n-1)")
	add(hasValue(func(v *table.Value) bool { return v.Low.Present() && !v.Signed }),
		fmt.Sprintf("[low, high]: 95%% interval, events resampled %d times", metrics.NumDraws))
	add(hasValue(func(v *table.Value) bool { return v.Signed }),
		fmt.Sprintf("Δ: less %s on the same events; ± is the model's own, [low, high] over events and seeds (95%%, t distribution)",
			strings.Join(from, ", ")))
	add(has(func(c table.Column, _ table.Entry) bool { return c.Kind == table.Published }), "paper: the value that the paper gives")
	add(has(func(_ table.Column, e table.Entry) bool { return e.Value != nil && e.Value.Signed }), "pp: percentage points")
	add(has(func(c table.Column, e table.Entry) bool { return c.Kind == table.Ranks && e.Value != nil }),
		fmt.Sprintf("average rank: of the learned models by %s over the datasets with values", headline))
	add(has(func(_ table.Column, e table.Entry) bool { return e.Level }),
		fmt.Sprintf("%s: not told apart from the best of the learned models by %s (paired over test events; "+
			"p at least %.2g after Holm over all pairs of the suite's task, or a single seed)",
			table.LevelSign, by, level))
	add(has(func(c table.Column, e table.Entry) bool { return c.Head == seedsHead && strings.Contains(e.Text, "/") }),
		"seeds: one number a dataset where they differ")
	add(has(func(c table.Column, e table.Entry) bool { return c.Kind != table.Text && e.Value == nil }), noValueLegend)
	return out
}

// noValueLegend explains dashes.
const noValueLegend = table.NoValue + ": no value"
