package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// quantity is a row of the table of parameters.
type quantity struct {
	title string
	model ModelHead
	paper string // what paper.yaml calls it
	// ours follows from a record of the model and one of the first model; ""
	// where it is absent.
	ours func(own, first record.Record) string
}

// parametersTable returns how many parameters the first model learns in its
// head and below it, and how many the others do, by dataset and setting.
func parametersTable(r request) (Output, error) {
	l := r.layout(r.Links).withoutDifferences()
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	t := grid[quantity]{Table: r.table()}
	t.add(table.Column{Head: "parameters"}, func(q quantity) table.Entry { return table.Entry{Text: q.title} })
	split := l.Models[0]
	for _, d := range l.Datasets {
		for _, setting := range l.Settings {
			t.add(table.Column{Group: d.Title, Head: string(setting)}, func(q quantity) table.Entry {
				own, ok := r.linkRecord(d, setting, q.model)
				if !ok {
					return text("")
				}
				first, _ := r.linkRecord(d, setting, split)
				return text(q.ours(own, first))
			})
			if d.PaperName == "" {
				continue
			}
			t.add(table.Column{Group: d.Title, Head: paperHead + " " + string(setting)}, func(q quantity) table.Entry {
				if ref, ok := Paper(protocol.LinkPrediction, setting, q.model.ID, d.PaperName, q.paper); ok {
					return text(wholeOrRatio(ref.Mean))
				}
				return text("")
			})
		}
	}
	numbers := []quantity{
		{split.Title + ": head", split, "parameters_head", func(own, _ record.Record) string { return known(own.Learned(true)) }},
		{split.Title + ": below the head", split, "parameters_rest", func(own, _ record.Record) string { return known(own.Learned(false)) }},
	}
	for _, m := range l.Models {
		all := func(own, _ record.Record) string { return table.Thousands(own.NumParams) }
		numbers = append(numbers, quantity{m.Title + ": all", m, "parameters", all})
	}
	t.addBlock(numbers...)
	for _, m := range l.Models[1:] {
		t.addBlock(quantity{m.Title + " / " + split.Title, m, "parameters_ratio", func(own, first record.Record) string {
			if first.NumParams == 0 {
				return ""
			}
			return table.Fixed(float64(own.NumParams)/float64(first.NumParams), 1)
		}})
	}
	t.Legend = []string{
		"T: transductive, I: inductive", "head: the paper's NN component, below it: its ER component",
		"the paper's models were tuned for each setting, which changes their sizes", noValueLegend,
	}
	return Output{Tables: []table.Table{t.Table}}, nil
}

// known formats a number, "" where it is unknown.
func known(n int, known bool) string {
	if !known {
		return ""
	}
	return table.Thousands(n)
}

// linkRecord returns a record of link prediction, of any seed: all have the
// same sizes.
func (in Input) linkRecord(d DatasetHead, setting protocol.Setting, m ModelHead) (record.Record, bool) {
	cell := record.CellKey{Dataset: d.ID, Task: protocol.LinkPrediction, Setting: setting, Case: d.Case, Model: m.ID, Variant: m.Variant}
	return lists.Find(in.Records, func(r record.Record) bool {
		cell.Suite = r.Key.Suite
		return r.Key.CellKey == cell && !r.Failed()
	})
}

func wholeOrRatio(x float64) string {
	if x == math.Trunc(x) {
		return table.Thousands(int(x))
	}
	return table.Fixed(x, 1)
}

// statistic is a row of the table of datasets. paper is its name in
// reference/tables.yaml.
type statistic struct {
	paper, title string
	of           func(record.Data) string
}

var statistics = []statistic{
	{"nodes", "nodes", func(d record.Data) string { return table.Thousands(d.Nodes) }},
	{"", "of them users", func(d record.Data) string {
		if d.Users == 0 {
			return "not bipartite"
		}
		return table.Thousands(d.Users)
	}},
	{"events", "events", func(d record.Data) string { return table.Thousands(d.Events) }},
	{"", "features of an event", func(d record.Data) string { return table.Thousands(d.Features) }},
	{"labels", "label", func(record.Data) string { return "see the note" }},
	{"", "labelled events", func(d record.Data) string { return table.Thousands(d.Labelled) }},
	{"", "positive labels", func(d record.Data) string { return table.Thousands(d.Positives) }},
	{"positives", "positive labels, share", func(d record.Data) string {
		if d.Labelled == 0 {
			return table.NoValue
		}
		return table.Fixed(math.Round(1e4*float64(d.Positives)/float64(d.Labelled))/100, 2) + "%"
	}},
	{"duration", "duration", func(d record.Data) string { return table.Fixed(d.Duration/86_400, 1) + " days" }},
	{"split", "used split, % of events", func(d record.Data) string {
		return joinParts(d, "-", func(p record.DataPart) string { return table.Fixed(100*float64(p.Events)/float64(max(1, d.Events)), 0) })
	}},
	{"", "events of the parts", func(d record.Data) string {
		return joinParts(d, " / ", func(p record.DataPart) string { return table.Thousands(p.Events) })
	}},
	{"", "positives of the parts", func(d record.Data) string {
		return joinParts(d, " / ", func(p record.DataPart) string { return table.Thousands(p.Positives) })
	}},
}

// joinParts joins texts about training, validation and test.
func joinParts(d record.Data, between string, text func(record.DataPart) string) string {
	return strings.Join(lists.Map(d.Parts, text), between)
}

// datasetsTable has the sizes of the suite's datasets and of the paper's.
func datasetsTable(r request) (Output, error) {
	l := r.layout(r.everything())
	if len(l.Datasets) == 0 {
		return Output{}, nil
	}
	t := grid[statistic]{Table: r.table()}
	t.add(table.Column{Head: "dataset"}, func(s statistic) table.Entry { return table.Entry{Text: s.title} })
	records := slices.Concat(r.Records, lists.Map(r.Timed, func(t LatencyTest) record.Record { return t.Record }))
	for _, d := range l.Datasets {
		ours := table.Column{Group: d.Title, Head: "here"}
		r, ok := lists.Find(records, func(r record.Record) bool { return r.Key.Dataset == d.ID && r.Data != nil })
		if ok {
			ours.Notes = t.Note(append([]string{r.DatasetTitle}, r.Footnotes...)...)
		}
		t.add(ours, func(s statistic) table.Entry {
			if !ok {
				return text("")
			}
			return text(s.of(*r.Data))
		})
		paper := catalogue().dataset(d.PaperName)
		if words := catalogue().Statistics[paper.Name]; words != nil {
			theirs := table.Column{Group: d.Title, Head: paperHead, Notes: t.Note(paper.Statistics)}
			t.add(theirs, func(s statistic) table.Entry { return text(words[s.paper]) })
		}
	}
	t.addBlock(statistics...)
	t.Legend = []string{"parts: training / validation / test", noValueLegend}
	return Output{Tables: []table.Table{t.Table}}, nil
}

// everything returns a layout with the datasets of all tasks, each once.
func (in Input) everything() (out Layout) {
	for _, l := range []Layout{in.Classification, in.Links, in.Latency} {
		out.Models = appendNew(out.Models, l.Models...)
		for _, d := range l.Datasets {
			d.Title, d.Case = strings.TrimSuffix(d.Title, ", "+d.Case), ""
			out.Datasets = appendNew(out.Datasets, d)
		}
	}
	return out
}

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

// rangesTable returns what searches try, beside the paper's ranges. Models that
// try the same share a row.
func rangesTable(r request) (Output, error) {
	if len(r.Ranges) == 0 {
		return Output{}, nil
	}
	var models []string
	for _, r := range r.Ranges {
		models = appendNew(models, r.Model)
	}
	t := r.table("hyper-parameter", "models", "tasks", "here", paperHead, "of the paper's")
	for c := 3; c < 6; c++ {
		t.Columns[c].Group = "values"
	}
	for _, same := range lists.GroupBy(r.Ranges, func(r Range) Range { r.Model = ""; return r }) {
		r, who := same[0], "all"
		if len(same) < len(models) {
			who = strings.Join(lists.Map(same, func(r Range) string { return r.Model }), ", ")
		}
		method, values := table.NoValue, table.NoValue
		if paper, ok := lists.Find(catalogue().Ranges, func(p paperRange) bool { return p.Title == r.Title }); ok {
			method, values = paper.Method, paper.Low+" to "+paper.High
		}
		t.Add(table.Entry{Text: r.Title, Notes: t.Note(r.Note)}, who, r.Tasks, r.Values, values, method)
	}
	t.Legend = []string{"nc: node classification, lp: link prediction", "the paper does not say which ranges are logarithmic", noValueLegend}
	return Output{Tables: []table.Table{t}}, nil
}

// aspect is a row of the paper's comparison of two models, and the fact of
// records that answers the same question.
type aspect struct {
	Fact   string            `yaml:"fact"`
	Aspect string            `yaml:"aspect"`
	Values map[string]string `yaml:"values"` // model -> the paper's words
}

// facts are properties of a model in words, by name. Each takes one record of
// every dataset.
var facts = map[string]func([]record.Record) string{
	"parts": func(records []record.Record) string {
		names := lists.Map(records[0].Parameters, func(p record.ParameterPart) string { return p.Part })
		learned := "learned: " + strings.Join(names, ", ")
		if size := overDatasets(records, stateSize); size != "0" {
			return "state of a node: " + size + " numbers; " + learned
		}
		return learned
	},
	"embedding": func(records []record.Record) string { return overDatasets(records, belowHead) + " learned numbers" },
	"training": func(records []record.Record) string {
		if overDatasets(records, belowHead) == "0" {
			return "the head alone is trained, on states that are not"
		}
		return "one loss trains the head and what lies below it"
	},
	"size": func(records []record.Record) string { return overDatasets(records, stateSize) + " numbers" },
	"forgetting": func(records []record.Record) string {
		return overDatasets(records, func(r record.Record) int { return r.Forgetting }) + " forgetting coefficients"
	},
}

func stateSize(r record.Record) int { return r.StateSize }

// belowHead returns the number of learned parameters below the head.
func belowHead(r record.Record) int {
	n, _ := r.Learned(false)
	return n
}

// overDatasets returns a number that is the same on all datasets, or what it is
// on each.
func overDatasets(records []record.Record, of func(record.Record) int) string {
	if first := of(records[0]); !slices.ContainsFunc(records, func(r record.Record) bool { return of(r) != first }) {
		return fmt.Sprint(first)
	}
	each := func(r record.Record) string { return fmt.Sprintf("%d on %s", of(r), r.Key.Dataset) }
	return strings.Join(lists.Map(records, each), ", ")
}

// aspectsTable puts the paper's comparison of models beside the facts of the
// records.
func aspectsTable(r request) (Output, error) {
	l, task := r.layout(r.Classification), protocol.NodeClassification
	if len(l.Models) == 0 {
		l, task = r.layout(r.Links), protocol.LinkPrediction
	}
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	t := grid[aspect]{Table: r.table()}
	t.add(table.Column{Head: "aspect"}, func(a aspect) table.Entry { return table.Entry{Text: a.Aspect} })
	for _, m := range l.Models {
		t.add(table.Column{Group: m.Title, Head: "here"}, func(a aspect) table.Entry { return table.Entry{Text: r.fact(a.Fact, task, l, m)} })
		t.add(table.Column{Group: m.Title, Head: paperHead}, func(a aspect) table.Entry { return text(a.Values[m.ID]) })
	}
	t.addBlock(catalogue().Aspects...)
	t.Legend = []string{"here: facts of the records", noValueLegend}
	return Output{Tables: []table.Table{t.Table}}, nil
}

// fact answers a question about a model from one record of every dataset, all
// of one task: options may differ between tasks.
func (in Input) fact(name string, task protocol.Task, l Layout, m ModelHead) string {
	var records []record.Record
	for _, d := range l.Datasets {
		r, ok := lists.Find(in.Records, func(r record.Record) bool {
			return r.Key.Task == task && r.Key.Dataset == d.ID && r.Key.Model == m.ID && r.Key.Variant == m.Variant && len(r.Parameters) > 0
		})
		if ok {
			records = append(records, r)
		}
	}
	if len(records) == 0 {
		return table.NoValue
	}
	return facts[name](records)
}
