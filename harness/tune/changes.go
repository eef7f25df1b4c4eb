package tune

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"dgsbench/datasets"
	"dgsbench/internal/escape"
	"dgsbench/internal/lists"
	"dgsbench/internal/strictyaml"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// WriteChanges says what tuning changed, as Markdown that is legible in the
// source: for each place the validation metric of the models with their own
// options and with those of the best trial, and the options that differ.
func WriteChanges(w io.Writer, histories []*History) error {
	fmt.Fprint(w, changesHead)
	for _, here := range lists.GroupBy(histories, func(h *History) specs.Place { return h.Study.At }) {
		if err := writePlace(w, here); err != nil {
			return err
		}
	}
	return nil
}

const changesHead = `# What tuning changed

Own: the options of the model's own spec, in which suites may set others. Tuned: those of the best trial of the search.
Metrics are of the validation part, by which the best of all trials was picked: the tuned one is too good by that. What
tuning is worth shows on the test part, with other seeds than that of the search. Where the gain is below zero, no trial was
as good as the model's own options; the tuned spec has the best trial all the same.
`

// writePlace writes what tuning brought at a place, and by which options.
func writePlace(out io.Writer, histories []*History) error {
	s := histories[0].Study
	fmt.Fprintf(out, "\n## %s\n\n", escape.Markdown(s.where()))
	if d, err := datasets.Lookup(s.At.Dataset); err == nil && d.Title != "" {
		fmt.Fprintf(out, "%s.\n\n", escape.MarkdownParagraph(d.Title))
	}
	gains := table.New("model", "own, "+s.Metric()+" in %", "tuned", "gain", "best trial", "trials")
	for i := range 3 {
		gains.Columns[1+i].Right = true
	}
	options := table.New("model", "option", "own", "tuned")
	for _, h := range histories {
		gains.Add(h.gain()...)
		h.addChanged(&options)
	}
	err := table.WriteMarkdownGrid(out, gains)
	if err == nil && len(options.Blocks) > 0 {
		fmt.Fprintln(out)
		err = table.WriteMarkdownGrid(out, options)
	}
	return err
}

// gain returns the study's row: what its best trial brought.
func (h *History) gain() []any {
	own, best := h.own(), h.Best()
	gain, number := "-", "-"
	if !best.Failed() {
		number = fmt.Sprintf("number %d (%s)", best.Trial, best.Phase)
	}
	if !best.Failed() && !own.Failed() {
		gain = fmt.Sprintf("%+.2f", 100*(*best.Value-*own.Value))
	}
	trials := strconv.Itoa(len(h.trials()))
	if n := failed(h.trials()); n > 0 {
		trials += fmt.Sprintf(", %d failed", n)
	}
	return []any{h.Study.Model.Title, percent(own), percent(best), gain, number, trials}
}

func percent(l Line) string {
	if l.Failed() {
		return "-"
	}
	return fmt.Sprintf("%.2f", 100**l.Value)
}

// addChanged adds a row for each option that is another one in the best trial.
func (h *History) addChanged(t *table.Table) {
	best := h.Best()
	if best.Failed() {
		return
	}
	own, errOwn := h.options(nil)
	tuned, errTuned := h.options(best.Values)
	if errOwn != nil || errTuned != nil {
		return // the study could not have been run
	}
	title, added := h.Study.Model.Title, map[string]bool{}
	for _, p := range h.Study.params {
		if a, b := own[p.Option], tuned[p.Option]; a != b && !added[p.Option] {
			added[p.Option] = true
			t.Add(title, p.Option, a, b)
			title = ""
		}
	}
}

// options returns the resolved ones as text, by path.
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
		v, errValue := leaf.Value()
		err = errors.Join(err, errValue)
		out[leaf.Path] = short(v)
	}
	return out, err
}

// short formats numbers with three digits.
func short(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return fmt.Sprint(v)
}
