package tune

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"dgsbench/internal/strictyaml"
)

// Changes is the table of what tuning changed, as Markdown: a row for each
// study, with the validation metric of the model's own options, of the best
// trial, and the options that differ.
func Changes(histories []*History) []byte {
	var out bytes.Buffer
	out.WriteString("# What tuning changed\n\nMetrics are of the validation part, by which the best trial was chosen: they are too good by that. One seed.\n" +
		"AUC and MRR in %. \"Own\" are the options of the model's spec.\n\n" +
		"| model | dataset, task | metric | own | best trial | gain | trial | trials (failed) | options: own -> best |\n" +
		"|---|---|---|---:|---:|---:|---:|---:|---|\n")
	for _, h := range histories {
		fmt.Fprintf(&out, "| %s | %s | %s |", h.Study.Model.Title, h.Study.where(), h.Study.Metric())
		h.writeRow(&out)
	}
	return out.Bytes()
}

func (h *History) writeRow(out *bytes.Buffer) {
	own, _ := h.Default()
	best, ok := h.Best()
	gain, number, options := "-", "-", "every trial failed"
	if ok {
		number, options = fmt.Sprintf("%d, %s", best.Trial, best.Phase), strings.Join(h.changed(best), "; ")
	}
	if ok && !own.Failed() {
		gain = fmt.Sprintf("%+.2f", 100*(*best.Value-*own.Value))
	}
	fmt.Fprintf(out, " %s | %s | %s | %s | %d (%d) | %s |\n", percent(own), percent(best), gain, number, len(h.trials()), h.failed(), options)
}

func percent(l Line) string {
	if l.Failed() {
		return "-"
	}
	return fmt.Sprintf("%.2f", 100**l.Value)
}

// changed lists the options that the trial has set to something else.
func (h *History) changed(l Line) (out []string) {
	before, err := h.options(nil)
	if err != nil {
		return nil
	}
	after, err := h.options(l.Values)
	if err != nil {
		return []string{err.Error()}
	}
	seen := map[string]bool{}
	for _, p := range h.Study.params {
		if a, b := before[p.Option], after[p.Option]; a != b && !seen[p.Option] {
			seen[p.Option] = true
			out = append(out, fmt.Sprintf("%s %s -> %s", p.Option, a, b))
		}
	}
	return out
}

// options are the resolved ones as text, by path.
func (h *History) options(values map[string]any) (map[string]string, error) {
	r, err := h.Study.resolve(values)
	if err != nil {
		return nil, err
	}
	n, err := strictyaml.Of(r.Options)
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
