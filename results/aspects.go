package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// facts are what records say of a model, in words. Each takes one record of
// every dataset.
var facts = map[string]func([]record.Record) string{
	"parts": func(records []record.Record) string {
		var texts []string
		if size := overDatasets(records, func(r record.Record) int { return r.StateSize }); size != "0" {
			texts = append(texts, "state of a node: "+size+" numbers")
		}
		return strings.Join(append(texts, "learned: "+partNames(records[0])), "; ")
	},
	"embedding": func(records []record.Record) string { return belowHead(records) + " learned numbers" },
	"training": func(records []record.Record) string {
		if belowHead(records) == "0" {
			return "the head alone is trained, on states that are not"
		}
		return "one loss trains the head and what lies below it"
	},
	"size": func(records []record.Record) string {
		return overDatasets(records, func(r record.Record) int { return r.StateSize }) + " numbers"
	},
	"forgetting": func(records []record.Record) string {
		return overDatasets(records, func(r record.Record) int { return r.Forgetting }) + " forgetting coefficients"
	},
}

// belowHead counts the learned parameters below the head.
func belowHead(records []record.Record) string {
	return overDatasets(records, func(r record.Record) int { _, rest, _ := r.HeadAndRest(); return rest })
}

// overDatasets is a number that is the same on all datasets, or what it is on
// each.
func overDatasets(records []record.Record, of func(record.Record) int) string {
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
func partNames(r record.Record) string {
	var names []string
	for _, p := range r.Parameters {
		names = append(names, p.Part)
	}
	return strings.Join(names, ", ")
}

// aspectsTable puts the paper's comparison of models beside what the records
// say of them.
func aspectsTable(in Input, r request) (Output, error) {
	l, task := r.layout(in.Classification), protocol.NodeClassification
	if len(l.Models) == 0 {
		l, task = r.layout(in.Links), protocol.LinkPrediction
	}
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	t := newTable(l, r)
	t.Columns = []table.Column{{Head: "aspect"}}
	for _, m := range l.Models {
		t.Columns = append(t.Columns, table.Column{Group: m.Title, Head: "here"}, table.Column{Group: m.Title, Head: paperHead})
	}
	var rows []table.Row
	for _, a := range defined().Aspects {
		row := table.Row{{Text: a.Aspect}}
		for _, m := range l.Models {
			row = append(row, table.Entry{Text: in.fact(a.Fact, task, l, m)}, table.Entry{Text: orNone(a.Values[m.ID])})
		}
		rows = append(rows, row)
	}
	t.Blocks, t.Legend = [][]table.Row{rows}, []string{"here: facts of the records", table.NoValue + ": no value"}
	return Output{Tables: []table.Table{t}}, nil
}

// fact answers a question about a model from one record of every dataset, all
// of one task: options may differ between tasks.
func (in Input) fact(name string, task protocol.Task, l Layout, m ModelHead) string {
	var records []record.Record
	for _, d := range l.Datasets {
		i := slices.IndexFunc(in.Records, func(r record.Record) bool {
			return r.Key.Task == task && r.Key.Dataset == d.ID && r.Key.Model == m.ID && r.Key.Variant == m.Variant && len(r.Parameters) > 0
		})
		if i >= 0 {
			records = append(records, in.Records[i])
		}
	}
	if len(records) == 0 {
		return table.NoValue
	}
	return facts[name](records)
}

// orNone is the text, or the sign for what is not there.
func orNone(text string) string {
	if text == "" {
		return table.NoValue
	}
	return text
}
