package results

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"dgsbench/internal/strictyaml"
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
	// EarlierRuns is the number of records of latency tests that are left out.
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
	// none means all. Models are called id or id+variant.
	Models, Without, Datasets []string
	// PaperDatasets adds those of the paper that the suite does not measure.
	PaperDatasets bool
}

// Output is what Make returns.
type Output struct {
	Tables  []table.Table
	Figures []figure.Figure
}

// kinds make tables. To add one: a function here, and its name in an entry of
// reference/tables.yaml. Each leaves out what the suite does not have.
var kinds map[string]func(Input, request) (Output, error)

func init() { // not above: the functions refer to kinds
	kinds = map[string]func(Input, request) (Output, error){
		"classification": classificationTable,
		"links":          linkTable,
		"latency":        latencyOutput,
		"speeds":         speedsTable,
		"parameters":     parametersTable,
		"datasets":       datasetsTable,
		"ranges":         rangesTable,
		"aspects":        aspectsTable,
		"auc-runtime":    tradeOff,
	}
}

// Make makes the tables and figures that are chosen, in this order. It leaves
// out those for which the suite has no trials.
func Make(in Input, choices []Choice) (Output, error) {
	var all Output
	for _, c := range choices {
		i := slices.Index(TableIDs(), c.ID)
		if i < 0 {
			return Output{}, fmt.Errorf("no table %q; known: %s", c.ID, strings.Join(TableIDs(), ", "))
		}
		d := catalogue().Tables[i]
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

// request is a definition with the suite's choice over it.
type request struct {
	definition
	Choice
	title string
}

// layout returns what the request shows of a layout.
func (r request) layout(l Layout) Layout {
	if len(r.Datasets) > 0 {
		l.Suite = nil // what the suite itself leaves out of the table
	}
	l.Datasets = choose(l.Datasets, r.Datasets, func(d DatasetHead) string { return d.ID })
	l.addStandIns()
	l.Models = slices.DeleteFunc(choose(l.Models, r.Choice.Models, ModelHead.ref), func(m ModelHead) bool {
		return slices.Contains(r.Without, m.ref())
	})
	if r.PaperDatasets {
		l.Datasets = append(l.Datasets, l.unmeasured()...)
	}
	return l
}

// choose returns those of a list that are wanted, in the order of wanted; all
// where nothing is.
func choose[T any](list []T, wanted []string, name func(T) string) []T {
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

// table returns an empty table about what the layout holds.
func (r request) table(l Layout, heads ...string) table.Table {
	t := l.table(r.title, heads...)
	t.Name = r.name()
	return t
}

// name returns a table's name, which no other one has: that of its definition,
// and what distinguishes it from its siblings.
func (r request) name(more ...string) string {
	words := append([]string{r.definition.ID}, more...)
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.Join(words, "-")))
}

func classificationTable(in Input, r request) (Output, error) {
	l := r.layout(in.Classification)
	l.Settings = []protocol.Setting{""}
	return scoreTable(in, r, l, protocol.NodeClassification)
}

func linkTable(in Input, r request) (Output, error) {
	l := r.layout(in.Links).withoutDifferences()
	var heads []DatasetHead
	for _, d := range l.Datasets {
		for i, set := range in.Candidates {
			if d.Candidates = set; i == 0 || !d.PaperOnly {
				heads = append(heads, d)
			}
		}
	}
	l.Datasets = heads
	return scoreTable(in, r, l, protocol.LinkPrediction)
}

func scoreTable(in Input, r request, l Layout, task protocol.Task) (Output, error) {
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	s, err := newScores(in.Cells, l, task)
	if err != nil {
		return Output{}, err
	}
	s.rank = r.Rank
	r.title += ", test events"
	return Output{Tables: []table.Table{s.build(r.table(l))}}, nil
}

func latencyOutput(in Input, r request) (Output, error) {
	tables, err := LatencyTables(in.Store, in.Timed, r.layout(in.Latency))
	for i := range tables {
		tables[i].Name = r.name(tables[i].Name)
		if in.EarlierRuns > 0 {
			tables[i].Legend = append(tables[i].Legend,
				fmt.Sprintf("%d records of earlier runs are left out: times are compared within a run alone", in.EarlierRuns))
		}
	}
	return Output{Tables: tables}, err
}

//go:embed reference/tables.yaml
var tablesYAML []byte

// definitions are the file reference/tables.yaml.
type definitions struct {
	Tables   []definition   `yaml:"tables"`
	Default  []string       `yaml:"default"`
	Datasets []paperDataset `yaml:"datasets"`
	// Figures are values that the paper shows in a figure only.
	Figures []struct {
		Task   protocol.Task `yaml:"task"`
		Metric string        `yaml:"metric"`
		Models []string      `yaml:"models"`
	} `yaml:"figures"`
	// About are values that the paper calls approximate.
	About []struct {
		Task    protocol.Task `yaml:"task"`
		Metric  string        `yaml:"metric"`
		Model   string        `yaml:"model"`
		Dataset string        `yaml:"dataset"`
	} `yaml:"approximate"`
	Statistics map[string]map[string]string `yaml:"statistics"` // dataset -> quantity -> as printed
	Ranges     []paperRange                 `yaml:"ranges"`
	Aspects    []aspect                     `yaml:"aspects"`
}

// definition is a table.
type definition struct {
	ID     string   `yaml:"id"`
	Kind   string   `yaml:"kind"` // see kinds
	Title  string   `yaml:"title"`
	Models []string `yaml:"models"` // as id or id+variant; all where there are none
	// Rank is what paper.yaml calls the paper's average rank of this table;
	// empty where it gives none.
	Rank string `yaml:"rank"`
}

// paperDataset is a dataset of the paper.
type paperDataset struct {
	Name string `yaml:"name"`
	// Against is the model from which the paper counts its values: it gives
	// differences.
	Against string `yaml:"against"`
	// Closed is why nobody else can measure it; empty where anybody can.
	Closed     string `yaml:"closed"`
	StandIn    string `yaml:"stand_in"`   // our dataset in its place
	Statistics string `yaml:"statistics"` // a note on the paper's sizes of it
}

var catalogue = sync.OnceValue(func() (d definitions) {
	doc, err := strictyaml.Parse("reference/tables.yaml", tablesYAML)
	if err == nil {
		err = doc.Decode(&d)
	}
	if err != nil {
		panic(err) // the file is part of the program
	}
	return d
})

// TableIDs returns the names of all tables and figures.
func TableIDs() (ids []string) {
	for _, d := range catalogue().Tables {
		ids = append(ids, d.ID)
	}
	return ids
}

// DefaultChoices returns the tables of suites that do not choose.
func DefaultChoices() (out []Choice) {
	for _, id := range catalogue().Default {
		out = append(out, Choice{ID: id})
	}
	return out
}

// dataset finds one of the paper's datasets, by its name in any case.
func (d definitions) dataset(name string) paperDataset {
	for _, p := range d.Datasets {
		if strings.EqualFold(p.Name, name) {
			return p
		}
	}
	return paperDataset{}
}
