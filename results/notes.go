package results

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/table"
)

// fewPositives is the number of positives in the test part below which a
// table warns.
const fewPositives = 30

// dataNotes are about what was measured on.
func dataNotes(c *Cell) []string {
	out := slices.Clone(c.Notes)
	if c.Task == protocol.NodeClassification && c.Positives > 0 && c.Positives < fewPositives {
		out = append(out, fmt.Sprintf("only %s in the test part: differences between models may be chance", count(c.Positives, "positive event")))
	}
	return out
}

// datasetNotes are what is to be said at the head of a dataset.
func (b *builder) datasetNotes(d DatasetHead) []string {
	var notes []string
	switch {
	case d.PaperOnly:
		return []string{unmeasuredNote(d)}
	case b.leads(d):
		notes = b.sharedNotes(d)
	}
	if d.Candidates != "" {
		notes = append(notes, against[d.Candidates].note)
	}
	return notes
}

// unmeasuredNote says how to measure one of the paper's datasets, or why
// nobody can.
func unmeasuredNote(d DatasetHead) string {
	const left, elsewhere = "left out by the flags", "bench all --suite paper"
	paper := defined().dataset(d.PaperName)
	switch {
	case paper.Closed == "" && d.LeftOut:
		return left
	case paper.Closed == "":
		return "not measured by this suite, but by: " + elsewhere
	case d.LeftOut:
		return paper.Closed + "; what stands in for it is " + left
	case paper.StandIn != "":
		return paper.Closed + "; a simulated stand-in is measured by: " + elsewhere
	}
	return paper.Closed
}

// sharedNotes are the data notes that all cells of a dataset have: they
// stand at its head.
func (b *builder) sharedNotes(d DatasetHead) []string {
	var shared []string
	seen := false
	for _, setting := range b.Settings {
		for _, m := range b.Models {
			c := b.cell(d, setting, m)
			switch {
			case c == nil || c.Seeds == 0:
			case !seen:
				seen, shared = true, dataNotes(c)
			default:
				own := dataNotes(c)
				shared = slices.DeleteFunc(shared, func(n string) bool { return !slices.Contains(own, n) })
			}
		}
	}
	return shared
}

// cellNotes are what is to be said about one cell and not about the whole
// dataset.
func (b *builder) cellNotes(d DatasetHead, c *Cell, class protocol.Class) []string {
	shared := b.sharedNotes(d)
	out := slices.DeleteFunc(dataNotes(c), func(n string) bool { return slices.Contains(shared, n) })
	if failed := len(c.Failures); failed > 0 {
		out = append(out, fmt.Sprintf("%d of %s failed: %s", failed, count(failed+c.Seeds, "seed"), reasons(c.Failures)))
	}
	if class == protocol.Learned && c.Seeds > 0 && c.Seeds < fewestForStd {
		out = append(out, "fewer than three seeds: no deviation is shown")
	}
	out = append(append(out, c.risingNotes()...), c.Doubts...)
	if c.Stale {
		out = append(out, "from stale records: measured with another version of the numerics")
	}
	return out
}

// reasons joins different messages.
func reasons(messages []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(messages))), "; ")
}

func undefinedNote(m metrics.Metric) string {
	_, err := m.Value(metrics.Facts{})
	return fmt.Sprintf("%s is %v in the test part", m.Title, err)
}

// classNotes say why a row is not ranked.
func classNotes(c protocol.Class) []string {
	switch c {
	case protocol.ZeroParameter:
		return []string{"a rule with nothing to learn: one run, outside the ranking"}
	case protocol.Oracle:
		return []string{"upper bound, not attainable: knows the simulator's hidden state; outside the ranking"}
	}
	return nil
}

// legend explains what the entries of the table need.
func (b *builder) legend(t table.Table) []string {
	var interval, deviation, difference, dash, ranked, paper, seeds, sign, levels bool
	for _, row := range slices.Concat(t.Blocks...) {
		for c, e := range row {
			kind := t.Columns[c].Kind
			dash = dash || kind != table.Text && e.Value == nil
			ranked = ranked || kind == table.Ranks && e.Value != nil
			seeds = seeds || t.Columns[c].Head == seedsHead && strings.Contains(e.Text, "/")
			paper = paper || kind == table.Published
			levels = levels || e.Level
			sign = sign || e.Value != nil && e.Value.Signed
			if kind == table.Measured && e.Value != nil {
				difference = difference || e.Value.Signed
				interval = interval || e.Value.Low.Present() && !e.Value.Signed
				deviation = deviation || e.Value.Std.Present()
			}
		}
	}
	var out []string
	for _, line := range []struct {
		shown bool
		text  string
	}{
		{b.task == protocol.LinkPrediction, "T: transductive, I: inductive"},
		{deviation, "±: standard deviation over seeds (n-1)"},
		{interval, fmt.Sprintf("[low, high]: 95%% interval, events resampled %d times", metrics.NumDraws)},
		{difference, b.differenceLegend()},
		{paper, "paper: the value that the paper gives"},
		{sign, "pp: percentage points"},
		{ranked, fmt.Sprintf("average rank: of the learned models by %s over the datasets with values", b.headline())},
		{levels, b.levelLegend()},
		{seeds, "seeds: one number a dataset where they differ"},
		{dash, table.NoValue + ": no value"},
	} {
		if line.shown {
			out = append(out, line.text)
		}
	}
	return out
}

// headline is what models are ranked by, in words.
func (b *builder) headline() string {
	if len(b.Datasets) > 0 && b.Datasets[0].Candidates != "" {
		return b.metrics[0].Title + " against " + against[b.Datasets[0].Candidates].words
	}
	return b.metrics[0].Title
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
