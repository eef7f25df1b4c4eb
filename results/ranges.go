package results

import (
	"slices"
	"strings"

	"dgsbench/results/table"
)

// Range is what a search of a model's hyper-parameter tries.
type Range struct {
	Model  string // its title
	Title  string // of the hyper-parameter
	Tasks  string // in which it is searched
	Values string // in words: ends and scale, or a list
	Note   string // what else a reader should know; may be empty
}

// paperRange is a row of the paper's table of ranges.
type paperRange struct {
	Method string `yaml:"method"`
	Title  string `yaml:"title"` // as ours has it
	Low    string `yaml:"low"`
	High   string `yaml:"high"`
}

// rangesTable is what searches try, beside the paper's ranges. Models that try
// the same share a row.
func rangesTable(in Input, r request) (Output, error) {
	rows := sharedRanges(in.Ranges)
	if len(rows) == 0 {
		return Output{}, nil
	}
	t := newTable(in.everything(), r)
	t.Columns = []table.Column{
		{Head: "hyper-parameter"},
		{Head: "models"},
		{Head: "tasks"},
		{Group: "values", Head: "here"},
		{Group: "values", Head: paperHead},
		{Group: "values", Head: "of the paper's"},
	}
	var n table.Table
	var block []table.Row
	for _, s := range rows {
		method, values := s.paper()
		block = append(block, table.Row{
			{Text: s.Title, Notes: n.Note(s.Note)},
			{Text: s.models(in.Ranges)},
			{Text: s.Tasks},
			{Text: s.Values},
			{Text: values},
			{Text: method},
		})
	}
	t.Blocks, t.Notes = [][]table.Row{block}, n.Notes
	t.Legend = []string{"nc: node classification, lp: link prediction", "the paper does not say which ranges are logarithmic", table.NoValue + ": no value"}
	return Output{Tables: []table.Table{t}}, nil
}

// sharedRange is a range with the models that have it.
type sharedRange struct {
	Range
	titles []string
}

// sharedRanges puts the same ranges together, in the order in which they come
// first.
func sharedRanges(all []Range) []sharedRange {
	var out []sharedRange
	for _, r := range all {
		title := r.Model
		r.Model = ""
		i := slices.IndexFunc(out, func(s sharedRange) bool { return s.Range == r })
		if i < 0 {
			i = len(out)
			out = append(out, sharedRange{Range: r})
		}
		out[i].titles = append(out[i].titles, title)
	}
	return out
}

// models names those that share the range.
func (s sharedRange) models(all []Range) string {
	var titles []string
	for _, r := range all {
		if !slices.Contains(titles, r.Model) {
			titles = append(titles, r.Model)
		}
	}
	if len(s.titles) == len(titles) {
		return "all"
	}
	return strings.Join(s.titles, ", ")
}

// paper is the method for which the paper has the hyper-parameter, and its
// range.
func (s sharedRange) paper() (method, values string) {
	for _, p := range defined().Ranges {
		if p.Title == s.Title {
			return p.Method, p.Low + " to " + p.High
		}
	}
	return table.NoValue, table.NoValue
}
