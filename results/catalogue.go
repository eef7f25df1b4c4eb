package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// Input is what tables and figures are made of: records, and what the suite
// expects.
type Input struct {
	Store   record.Store
	Cells   []Cell
	Records []record.Record // of the trials that are scored
	// Timed are records of latency tests, for every dataset of one run.
	Timed []record.Record
	// EarlierRuns is how many records of latency tests are left out.
	EarlierRuns int

	// What the suite has of each, in its order; no models where it has none.
	Classification, Links, Latency Layout
	Candidates                     []protocol.CandidateSet // of link prediction
	// Ranges are those of the models' hyper-parameters.
	Ranges []Range
}

// Choice is a table that a suite asks for.
type Choice struct {
	ID    string // see TableIDs
	Title string // in place of the table's own
	// Models and Datasets are shown, in this order, and Without is left out;
	// none stand for all. Models are called id or id+variant.
	Models, Without, Datasets []string
	// PaperDatasets adds those of the paper that the suite does not measure.
	PaperDatasets bool
}

// TableIDs are the names of the tables and figures that there are.
func TableIDs() []string {
	var ids []string
	for _, d := range defined().Tables {
		ids = append(ids, d.ID)
	}
	return ids
}

// DefaultChoices are for suites that do not choose.
func DefaultChoices() []Choice {
	var out []Choice
	for _, id := range defined().Default {
		out = append(out, Choice{ID: id})
	}
	return out
}

// kinds make tables. To add one: a function here, and its name in an entry of
// reference/tables.yaml. Each leaves out what the suite does not have.
var kinds map[string]func(Input, request) (Output, error)

func init() { // not above: the functions look kinds up
	kinds = map[string]func(Input, request) (Output, error){
		"classification": classificationTable,
		"links":          linkTable,
		"latency":        latencyTables,
		"speeds":         speedsTable,
		"parameters":     parametersTable,
		"datasets":       datasetsTable,
		"ranges":         rangesTable,
		"aspects":        aspectsTable,
		"auc-runtime":    tradeOff,
	}
}

// Output is what has been made.
type Output struct {
	Tables  []table.Table
	Figures []figure.Figure
}

// request is a definition with the suite's choice over it.
type request struct {
	definition
	Choice
	title string
}

// Make makes what is chosen, in this order. What the suite has no trials for
// is left out.
func Make(in Input, choices []Choice) (Output, error) {
	var all Output
	for _, c := range choices {
		d, ok := defined().table(c.ID)
		if !ok {
			return Output{}, fmt.Errorf("no table %q; known: %s", c.ID, strings.Join(TableIDs(), ", "))
		}
		if len(c.Models) == 0 {
			c.Models = d.Models
		}
		out, err := kinds[d.Kind](in, request{d, c, cmp.Or(c.Title, d.Title)})
		if err != nil {
			return Output{}, err
		}
		for i := range out.Tables {
			out.Tables[i].Renumber()
		}
		all.Tables, all.Figures = append(all.Tables, out.Tables...), append(all.Figures, out.Figures...)
	}
	return all, nil
}

// layout is what the request shows of a layout.
func (r request) layout(l Layout) Layout {
	if len(r.Datasets) > 0 {
		l.Suite = nil // what the suite itself leaves out of the table
	}
	l.Datasets = standIns(pick(l.Datasets, r.Datasets, func(d DatasetHead) string { return d.ID }), l.Models)
	l.Models = slices.DeleteFunc(pick(l.Models, r.Choice.Models, ModelHead.ref), func(m ModelHead) bool {
		return slices.Contains(r.Without, m.ref())
	})
	if r.PaperDatasets {
		l.Datasets = slices.Concat(l.Datasets, unmeasured(l.Datasets, l.Suite))
	}
	return l
}

// pick takes those of a list that are wanted, in the order of wanted; all
// where nothing is.
func pick[T any](list []T, wanted []string, name func(T) string) []T {
	if len(wanted) == 0 {
		return slices.Clone(list)
	}
	var out []T
	for _, w := range wanted {
		for _, x := range list {
			if name(x) == w {
				out = append(out, x)
			}
		}
	}
	return out
}

// named gives a table a name that no other one has: that of its definition,
// and what tells it from its siblings.
func named(t table.Table, id string, more ...string) table.Table {
	dashed := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}
	t.Name = strings.Map(dashed, strings.ToLower(strings.Join(append([]string{id}, more...), "-")))
	return t
}

// classificationTable is the table of test AUCs, models x datasets.
func classificationTable(in Input, r request) (Output, error) {
	l := r.layout(in.Classification)
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	t, err := classification(in.Cells, l, r.title, r.Rank)
	return Output{Tables: []table.Table{named(t, r.definition.ID)}}, err
}

// linkTable is the table of test MRRs and Recalls@10.
func linkTable(in Input, r request) (Output, error) {
	l := r.layout(in.Links)
	l.Datasets = withoutDifferences(l.Datasets)
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	t, err := links(in.Cells, l, in.Candidates, r.title, r.Rank)
	return Output{Tables: []table.Table{named(t, r.definition.ID)}}, err
}

// latencyTables are, for every dataset, the speed table and that of the batch
// sizes.
func latencyTables(in Input, r request) (Output, error) {
	tables, err := LatencyTables(in.Store, in.Timed, r.layout(in.Latency))
	for i := range tables {
		tables[i] = named(tables[i], r.definition.ID, tables[i].Name)
		if in.EarlierRuns > 0 {
			tables[i].Legend = append(tables[i].Legend,
				fmt.Sprintf("%d records of earlier runs are left out: times are compared within a run alone", in.EarlierRuns))
		}
	}
	return Output{Tables: tables}, err
}
