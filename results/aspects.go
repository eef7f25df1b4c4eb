package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dgsbench/metrics"
)

// facts are what records say of a model, in words. Each takes one record of
// every dataset.
var facts = map[string]func([]Record) string{
	"parts": func(records []Record) string {
		var texts []string
		if size := overDatasets(records, func(r Record) int { return r.StateSize }); size != "0" {
			texts = append(texts, "state of a node: "+size+" numbers")
		}
		return strings.Join(append(texts, "learned: "+partNames(records[0])), "; ")
	},
	"embedding": func(records []Record) string { return belowHead(records) + " learned numbers" },
	"training": func(records []Record) string {
		if belowHead(records) == "0" {
			return "the head alone is trained, on states that are not"
		}
		return "one loss trains the head and what lies below it"
	},
	"size": func(records []Record) string {
		return overDatasets(records, func(r Record) int { return r.StateSize }) + " numbers"
	},
	"forgetting": func(records []Record) string {
		return overDatasets(records, func(r Record) int { return r.Forgetting }) + " forgetting coefficients"
	},
}

// belowHead counts the learned parameters below the head.
func belowHead(records []Record) string {
	return overDatasets(records, func(r Record) int { _, rest, _ := r.headAndRest(); return rest })
}

// overDatasets is a number that is the same on all datasets, or what it is on
// each.
func overDatasets(records []Record, of func(Record) int) string {
	var each []string
	same := true
	for _, r := range records {
		each = append(each, fmt.Sprintf("%s on %s", strconv.Itoa(of(r)), r.Key.Dataset))
		same = same && of(r) == of(records[0])
	}
	if same {
		return strconv.Itoa(of(records[0]))
	}
	return strings.Join(each, ", ")
}

// partNames lists the learned parts.
func partNames(r Record) string {
	var names []string
	for _, p := range r.Parameters {
		names = append(names, p.Part)
	}
	return strings.Join(names, ", ")
}

// aspectsTable puts the paper's comparison of models beside what the records
// say of them.
func aspectsTable(in Input, r request) (Output, error) {
	l, task := r.layout(in.Classification), metrics.NodeClassification
	if len(l.Models) == 0 {
		l, task = r.layout(in.Links), metrics.LinkPrediction
	}
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	t := newTable(l, r)
	t.Columns = []Column{{Head: "aspect"}}
	for _, m := range l.Models {
		t.Columns = append(t.Columns, Column{Group: m.Title, Head: "here"}, Column{Group: m.Title, Head: paperHead})
	}
	var rows []TableRow
	for _, a := range defined().Aspects {
		row := TableRow{{Text: a.Aspect}}
		for _, m := range l.Models {
			row = append(row, Entry{Text: in.fact(a.Fact, task, l, m)}, Entry{Text: orNone(a.Values[m.ID])})
		}
		rows = append(rows, row)
	}
	t.Blocks, t.Legend = [][]TableRow{rows}, []string{"here: facts of the records", noValue + ": no value"}
	return Output{Tables: []Table{t}}, nil
}

// fact answers a question about a model from one record of every dataset, all
// of one task: options may differ between tasks.
func (in Input) fact(name, task string, l Layout, m ModelHead) string {
	var records []Record
	for _, d := range l.Datasets {
		i := slices.IndexFunc(in.Records, func(r Record) bool {
			return r.Key.Task == task && r.Key.Dataset == d.ID && r.Key.Model == m.ID && r.Key.Variant == m.Variant && len(r.Parameters) > 0
		})
		if i >= 0 {
			records = append(records, in.Records[i])
		}
	}
	if len(records) == 0 {
		return noValue
	}
	return facts[name](records)
}

// orNone is the text, or the sign for what is not there.
func orNone(text string) string {
	if text == "" {
		return noValue
	}
	return text
}
