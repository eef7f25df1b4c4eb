package tune

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"

	"dgsbench/datasets"
	"dgsbench/internal/escape"
	"dgsbench/internal/strictyaml"
)

// Changes says what tuning changed, as Markdown that can also be read as it
// is: for each place the validation metric of the models with their own
// options and with those of the best trial, and the options that differ.
func Changes(histories []*History) []byte {
	var out bytes.Buffer
	out.WriteString(changesHead)
	for i, h := range histories {
		if slices.ContainsFunc(histories[:i], h.sharesPlace) {
			continue // it is in the section of the first one there
		}
		here := slices.DeleteFunc(slices.Clone(histories[i:]), func(other *History) bool { return !h.sharesPlace(other) })
		writePlace(&out, here)
	}
	return out.Bytes()
}

const changesHead = `# What tuning changed

Own: the options of the model's own spec, in which suites may set others. Tuned: those of the best trial of the search.
Metrics are of the validation part, by which the best of all trials was picked: the tuned one is too good by that. What
tuning is worth shows on the test part, with other seeds than that of the search. Where the gain is below zero, no trial was
as good as the model's own options; the tuned spec has the best trial all the same.
`

func (h *History) sharesPlace(other *History) bool { return h.Study.At == other.Study.At }

// writePlace is the section of a place: what tuning brought, and by which
// options.
func writePlace(out *bytes.Buffer, histories []*History) {
	s := histories[0].Study
	fmt.Fprintf(out, "\n## %s\n\n", escape.Markdown(s.where()))
	if d, err := datasets.Lookup(s.At.Dataset); err == nil && d.Title != "" {
		fmt.Fprintf(out, "%s.\n\n", escape.MarkdownParagraph(d.Title))
	}
	gains := [][]string{
		{"model", "own, " + s.Metric() + " in %", "tuned", "gain", "best trial", "trials"},
		{"---", "---:", "---:", "---:", "---", "---"},
	}
	options := [][]string{{"model", "option", "own", "tuned"}, {"---", "---", "---", "---"}}
	for _, h := range histories {
		gains = append(gains, h.gain())
		options = append(options, h.changed()...)
	}
	writeTable(out, gains)
	if len(options) > 2 {
		out.WriteString("\n")
		writeTable(out, options)
	}
}

// writeTable pads cells, so that columns are straight in the file too.
func writeTable(out *bytes.Buffer, rows [][]string) {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	for i, row := range rows {
		line := "|"
		for _, cell := range row {
			if i != 1 { // how columns are aligned
				cell = escape.Markdown(cell)
			}
			line += " " + cell + "\t|"
		}
		fmt.Fprintln(w, line)
	}
	_ = w.Flush() // a buffer takes everything
}

// gain is the study's row: what its best trial brought.
func (h *History) gain() []string {
	own, _ := h.Default()
	best, ok := h.Best()
	gain, number := "-", "-"
	if ok {
		number = fmt.Sprintf("number %d (%s)", best.Trial, best.Phase)
	}
	if ok && !own.Failed() {
		gain = fmt.Sprintf("%+.2f", 100*(*best.Value-*own.Value))
	}
	trials := strconv.Itoa(len(h.trials()))
	if n := h.failed(); n > 0 {
		trials += fmt.Sprintf(", %d failed", n)
	}
	return []string{h.Study.Model.Title, percent(own), percent(best), gain, number, trials}
}

func percent(l Line) string {
	if l.Failed() {
		return "-"
	}
	return fmt.Sprintf("%.2f", 100**l.Value)
}

// changed has a row for each option that the best trial has set to something
// else. The first one names the model.
func (h *History) changed() (rows [][]string) {
	best, ok := h.Best()
	if !ok {
		return nil
	}
	before, err := h.options(nil)
	if err != nil {
		return nil // the study could not have been run
	}
	after, err := h.options(best.Values)
	if err != nil {
		return nil
	}
	title, seen := h.Study.Model.Title, map[string]bool{}
	for _, p := range h.Study.params {
		if a, b := before[p.Option], after[p.Option]; a != b && !seen[p.Option] {
			seen[p.Option] = true
			rows = append(rows, []string{title, p.Option, a, b})
			title = ""
		}
	}
	return rows
}

// options are the resolved ones as text, by path.
func (h *History) options(values map[string]any) (map[string]string, error) {
	trial, err := h.Study.trial(values)
	if err != nil {
		return nil, err
	}
	n, err := strictyaml.Of(trial.Options)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, leaf := range n.Leaves() {
		v, err := leaf.Value()
		if err != nil {
			return nil, err
		}
		out[leaf.Path] = short(v)
	}
	return out, nil
}

// short writes numbers with three digits.
func short(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return fmt.Sprint(v)
}
