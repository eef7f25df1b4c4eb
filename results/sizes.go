package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// parametersTable returns how many parameters the first model learns in its
// head and below it, and how many the others do, by dataset and setting.
func parametersTable(in Input, r request) (Output, error) {
	l := r.layout(in.Links).withoutDifferences()
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	t := r.table(l, "parameters")
	type column struct {
		dataset DatasetHead
		setting protocol.Setting
		paper   bool
	}
	var columns []column
	for _, d := range l.Datasets {
		var about []int
		if d.PaperOnly {
			about = t.Note(unmeasuredNote(d))
		}
		for _, setting := range l.Settings {
			t.Columns = append(t.Columns, table.Column{Group: d.Title, Head: string(setting), Notes: about})
			columns = append(columns, column{d, setting, false})
			if d.PaperName != "" {
				t.Columns = append(t.Columns, table.Column{Group: d.Title, Head: paperHead + " " + string(setting)})
				columns = append(columns, column{d, setting, true})
			}
		}
	}
	// paper is what paper.yaml calls the quantity; ours is "" where it is absent.
	add := func(title string, m ModelHead, paper string, ours func(column, record.Record) string) {
		row := table.Row{{Text: title}}
		for _, c := range columns {
			text := ""
			if c.paper {
				if ref, ok := Paper(protocol.LinkPrediction, c.setting, m.ID, c.dataset.PaperName, paper); ok {
					text = wholeOrRatio(ref.Mean)
				}
			} else if r, ok := in.linkRecord(c.dataset, c.setting, m); ok {
				text = ours(c, r)
			}
			row = append(row, table.Entry{Text: orNoValue(text)})
		}
		t.AddRow(row)
	}
	split := l.Models[0]
	add(split.Title+": head", split, "parameters_head", func(_ column, r record.Record) string {
		if head, _, ok := r.HeadAndRest(); ok {
			return table.Thousands(head)
		}
		return ""
	})
	add(split.Title+": below the head", split, "parameters_rest", func(_ column, r record.Record) string {
		if _, rest, ok := r.HeadAndRest(); ok {
			return table.Thousands(rest)
		}
		return ""
	})
	for _, m := range l.Models {
		add(m.Title+": all", m, "parameters", func(_ column, r record.Record) string { return table.Thousands(r.NumParams) })
	}
	for _, m := range l.Models[1:] {
		t.NextBlock()
		add(m.Title+" / "+split.Title, m, "parameters_ratio", func(c column, r record.Record) string {
			base, ok := in.linkRecord(c.dataset, c.setting, split)
			if !ok || base.NumParams == 0 {
				return ""
			}
			return table.Fixed(float64(r.NumParams)/float64(base.NumParams), 1)
		})
	}
	t.Legend = []string{
		"T: transductive, I: inductive", "head: the paper's NN component, below it: its ER component",
		"the paper's models were tuned for each setting, which changes their sizes", noValueLegend,
	}
	return Output{Tables: []table.Table{t}}, nil
}

// linkRecord returns a record of link prediction, of any seed: all have the
// same sizes.
func (in Input) linkRecord(d DatasetHead, setting protocol.Setting, m ModelHead) (record.Record, bool) {
	cell := record.CellKey{Dataset: d.ID, Task: protocol.LinkPrediction, Setting: setting, Case: d.Case, Model: m.ID, Variant: m.Variant}
	for _, r := range in.Records {
		cell.Suite = r.Key.Suite
		if r.Key.CellKey == cell && !r.Failed() {
			return r, true
		}
	}
	return record.Record{}, false
}

func wholeOrRatio(x float64) string {
	if x == math.Trunc(x) {
		return table.Thousands(int(x))
	}
	return table.Fixed(x, 1)
}

// orNoValue returns the text, or the sign for an absent one.
func orNoValue(text string) string {
	if text == "" {
		return table.NoValue
	}
	return text
}

// statistics are the rows of the table of datasets. paper is the name in
// reference/tables.yaml.
var statistics = []struct {
	paper, title string
	of           func(record.Data) string
}{
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
	var texts []string
	for _, p := range d.Parts {
		texts = append(texts, text(p))
	}
	return strings.Join(texts, between)
}

// datasetsTable has the sizes of the suite's datasets and of the paper's.
func datasetsTable(in Input, r request) (Output, error) {
	l := r.layout(in.everything())
	if len(l.Datasets) == 0 {
		return Output{}, nil
	}
	t := r.table(l, "dataset")
	rows := make([]table.Row, len(statistics))
	for i, s := range statistics {
		rows[i] = table.Row{{Text: s.title}}
	}
	add := func(c table.Column, text func(paper string, of func(record.Data) string) string) {
		t.Columns = append(t.Columns, c)
		for i, s := range statistics {
			rows[i] = append(rows[i], table.Entry{Text: orNoValue(text(s.paper, s.of))})
		}
	}
	records := slices.Concat(in.Records, in.Timed)
	for _, d := range l.Datasets {
		ours := table.Column{Group: d.Title, Head: "here"}
		var data *record.Data
		i := slices.IndexFunc(records, func(r record.Record) bool { return r.Key.Dataset == d.ID && r.Data != nil })
		if d.PaperOnly {
			ours.Notes = t.Note(unmeasuredNote(d))
		} else if i >= 0 {
			data = records[i].Data
			ours.Notes = t.Note(append([]string{records[i].DatasetTitle}, records[i].Footnotes...)...)
		}
		add(ours, func(_ string, of func(record.Data) string) string {
			if data == nil {
				return ""
			}
			return of(*data)
		})
		paper := catalogue().dataset(d.PaperName)
		if words := catalogue().Statistics[paper.Name]; words != nil {
			theirs := table.Column{Group: d.Title, Head: paperHead, Notes: t.Note(paper.Statistics)}
			add(theirs, func(paper string, _ func(record.Data) string) string {
				return words[paper]
			})
		}
	}
	t.Blocks = [][]table.Row{rows}
	t.Legend = []string{"parts: training / validation / test", noValueLegend}
	return Output{Tables: []table.Table{t}}, nil
}

// everything returns a layout with all datasets, each once.
func (in Input) everything() Layout {
	layouts := []Layout{in.Classification, in.Links, in.Latency}
	l := in.Latency
	if i := slices.IndexFunc(layouts, func(l Layout) bool { return len(l.Datasets) > 0 }); i >= 0 {
		l = layouts[i]
	}
	l.Datasets = nil
	for _, d := range slices.Concat(in.Classification.Datasets, in.Links.Datasets, in.Latency.Datasets) {
		if !slices.ContainsFunc(l.Datasets, func(have DatasetHead) bool { return have.ID == d.ID }) {
			d.Title, d.Case = d.ID, ""
			l.Datasets = append(l.Datasets, d)
		}
	}
	return l
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
func rangesTable(in Input, r request) (Output, error) {
	var distinct []Range // without models
	models := map[Range][]string{}
	var all []string
	for _, r := range in.Ranges {
		title := r.Model
		r.Model = ""
		distinct, all = appendNew(distinct, r), appendNew(all, title)
		models[r] = append(models[r], title)
	}
	if len(distinct) == 0 {
		return Output{}, nil
	}
	t := r.table(in.everything(), "hyper-parameter", "models", "tasks", "here", paperHead, "of the paper's")
	for c := 3; c < 6; c++ {
		t.Columns[c].Group = "values"
	}
	for _, r := range distinct {
		who := strings.Join(models[r], ", ")
		if len(models[r]) == len(all) {
			who = "all"
		}
		method, values := table.NoValue, table.NoValue
		paper := catalogue().Ranges
		if i := slices.IndexFunc(paper, func(p paperRange) bool { return p.Title == r.Title }); i >= 0 {
			method, values = paper[i].Method, paper[i].Low+" to "+paper[i].High
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
		var names []string
		for _, p := range records[0].Parameters {
			names = append(names, p.Part)
		}
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
	_, rest, _ := r.HeadAndRest()
	return rest
}

// overDatasets returns a number that is the same on all datasets, or what it is
// on each.
func overDatasets(records []record.Record, of func(record.Record) int) string {
	var each []string
	same := true
	for _, r := range records {
		each = append(each, fmt.Sprintf("%d on %s", of(r), r.Key.Dataset))
		same = same && of(r) == of(records[0])
	}
	if same {
		return fmt.Sprint(of(records[0]))
	}
	return strings.Join(each, ", ")
}

// aspectsTable puts the paper's comparison of models beside the facts of the
// records.
func aspectsTable(in Input, r request) (Output, error) {
	l, task := r.layout(in.Classification), protocol.NodeClassification
	if len(l.Models) == 0 {
		l, task = r.layout(in.Links), protocol.LinkPrediction
	}
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	t := r.table(l, "aspect")
	for _, m := range l.Models {
		t.Columns = append(t.Columns, table.Column{Group: m.Title, Head: "here"}, table.Column{Group: m.Title, Head: paperHead})
	}
	for _, a := range catalogue().Aspects {
		row := table.Row{{Text: a.Aspect}}
		for _, m := range l.Models {
			row = append(row, table.Entry{Text: in.fact(a.Fact, task, l, m)}, table.Entry{Text: orNoValue(a.Values[m.ID])})
		}
		t.AddRow(row)
	}
	t.Legend = []string{"here: facts of the records", noValueLegend}
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
