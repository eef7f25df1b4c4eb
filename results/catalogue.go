package results

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"dgsbench/internal/lists"
	"dgsbench/internal/strictyaml"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// Input is what tables and figures are made of: records, and what the suite
// expects.
type Input struct {
	Store   record.Store // of the records
	Cells   []Cell
	Records []record.Record // of the trials that are scored
	Timed   []LatencyTest   // for every dataset of one run
	Loaded  []LiveTest      // the same

	EarlierRuns, EarlierLive int // records of latency and live tests that are left out

	// What the suite has of each, in its order; no models where it has none.
	Classification, Links, Latency, Live Layout
	Ranges                               []Range // of the models' hyper-parameters

	Subtitle string // description of the suite; may be empty
	Command  string // that makes the tables
	Source   string // the specs and the code that the records are of

	comparisons []Comparison // of all cells: the family does not depend on what a table shows
}

// Output is what Make returns.
type Output struct {
	Summary Summary
	Tables  []table.Table
	Figures []figure.Figure
}

// kinds make tables. To add one: a function here, and its name in an entry of
// reference/tables.yaml. Each leaves out what the suite does not have.
var kinds = map[string]kind{
	"classification": {make: classificationTable, task: protocol.NodeClassification},
	"links":          {make: linkTable, task: protocol.LinkPrediction},
	"leaderboard":    {make: leaderboardTable},
	"latency":        {make: latencyOutput},
	"speeds":         {make: speedsTable},
	"training":       {make: trainingTable},
	"parameters":     {make: parametersTable},
	"datasets":       {make: datasetsTable},
	"ranges":         {make: rangesTable},
	"aspects":        {make: aspectsTable},
	"auc-runtime":    {make: tradeOff, main: true},
	"roc":            {make: roc.output, points: roc.metrics},
	"pr":             {make: pr.output, points: pr.metrics},
	"calibration":    {make: calibrationOutput, points: calibrationMetrics},
	"auc-time":       {make: dailyOutput, points: dailyMetrics},
	"freshness":      {make: freshnessOutput},
	"live":           {make: liveOutput},
	"delay":          {make: delayOutput},
}

// kind is what tables of a kind have in common.
type kind struct {
	make   func(request) (Output, error)
	task   protocol.Task                // of the metrics that a suite can choose for it; empty if they are its own
	points func(record.Record) []string // the metrics of cells of node classification that it draws
	main   bool                         // its figure stands before those of other kinds
}

// Named returns the metrics that a suite's tables need of a record's test part, beside
// those that every record has.
func Named(chosen specs.Tables, r record.Record) (out []metrics.Metric) {
	var names []string
	for _, c := range chosen.Show {
		d, _ := lists.Find(catalogue().Tables, func(d definition) bool { return d.ID == c.ID })
		if k := kinds[d.Kind]; k.points != nil && r.Key.Task == protocol.NodeClassification {
			names = appendNew(names, k.points(r)...)
		} else if k.task == r.Key.Task {
			names = appendNew(names, c.Metrics...)
		}
	}
	for _, name := range names {
		if m, err := metrics.Lookup(name); err == nil { // others are errors of the suite
			out = append(out, m)
		}
	}
	return out
}

// orUsual returns the tables that are chosen, or if there are none the usual ones.
func orUsual(chosen specs.Tables) specs.Tables {
	if len(chosen.Show) == 0 {
		chosen.Show = lists.Map(catalogue().Default, func(id string) specs.Table { return specs.Table{ID: id} })
	}
	return chosen
}

// withCurves adds the figures of curves that are not among the tables.
func withCurves(chosen specs.Tables) specs.Tables {
	chosen = orUsual(chosen)
	for _, d := range catalogue().Tables {
		isHere := func(t specs.Table) bool { return t.ID == d.ID }
		if kinds[d.Kind].points != nil && !slices.ContainsFunc(chosen.Show, isHere) {
			chosen.Show, chosen.Unlisted = append(slices.Clone(chosen.Show), specs.Table{ID: d.ID}), append(chosen.Unlisted, d.ID)
		}
	}
	return chosen
}

// Make makes the tables and figures that a suite chooses, in this order, or the
// usual ones. It leaves out those for which the suite has no trials.
func Make(in Input, chosen specs.Tables) (out Output, err error) {
	chosen = orUsual(chosen)
	if err := chosen.Known(TableTasks()); err != nil {
		return out, err
	}
	in.comparisons = Comparisons(in.Cells)
	if out.Summary, err = newSummary(in, chosen.Show); err != nil {
		return out, err
	}
	for _, c := range chosen.Show {
		d := catalogue().Tables[slices.Index(TableIDs(), c.ID)]
		c.Title = cmp.Or(c.Title, d.Title)
		if len(c.Models) == 0 {
			c.Models = d.Models
		}
		made, err := kinds[d.Kind].make(request{in, c, d.Rank})
		if err != nil {
			return Output{}, err
		}
		for i := range made.Tables {
			made.Tables[i].DropUnpublished()
			made.Tables[i].Renumber()
		}
		out.Tables, out.Figures = append(out.Tables, made.Tables...), append(out.Figures, made.Figures...)
		if kinds[d.Kind].main {
			out.Figures = slices.Concat(made.Figures, out.Figures[:len(out.Figures)-len(made.Figures)])
		}
	}
	return out, nil
}

// request is a table that a suite chooses, with what it is made of.
type request struct {
	Input
	specs.Table
	rank string // see definition
}

// layout returns the part of a layout that the request asks for.
func (r request) layout(l Layout) Layout {
	l.Datasets = choose(l.Datasets, r.Datasets, func(d DatasetHead) string { return d.ID })
	l.addStandIns()
	l.Models = slices.DeleteFunc(choose(l.Models, r.Models, ModelHead.ref), func(m ModelHead) bool {
		return slices.Contains(r.Without, m.ref())
	})
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

// table returns the table without columns, or with columns of texts.
func (r request) table(heads ...string) table.Table {
	t := table.New(heads...)
	t.Name, t.Title, t.Command, t.Source = r.name(), r.Title, r.Command, r.Source
	if r.Subtitle != "" {
		t.Title += " (" + r.Subtitle + ")"
	}
	return t
}

// name returns a table's name, which no other one has: that of its definition,
// and what distinguishes it from its siblings.
func (r request) name(more ...string) string {
	return strings.ToLower(table.Identifier(append([]string{r.ID}, more...)...))
}

func classificationTable(r request) (Output, error) {
	l := r.layout(r.Classification)
	l.Settings = []protocol.Setting{""}
	return scoreTable(r, l, protocol.NodeClassification)
}

func linkTable(r request) (Output, error) {
	l := r.layout(r.Links).withoutDifferences()
	var heads []DatasetHead
	for _, d := range l.Datasets {
		for _, set := range l.Candidates {
			d.Candidates = set
			heads = append(heads, d)
		}
	}
	l.Datasets = heads
	return scoreTable(r, l, protocol.LinkPrediction)
}

func scoreTable(r request, l Layout, task protocol.Task) (Output, error) {
	if len(l.Models) == 0 {
		return Output{}, nil
	}
	r.Title += ", test events"
	s, err := newScores(r, l, task, r.Metrics...)
	if err != nil {
		return Output{}, err
	}
	out := Output{Tables: []table.Table{s.build()}}
	out.Figures, err = s.critical()
	return out, err
}

//go:embed reference/tables.yaml
var tablesYAML []byte

// definitions are the file reference/tables.yaml.
type definitions struct {
	Tables   []definition   `yaml:"tables"`
	Default  []string       `yaml:"default"`
	Datasets []paperDataset `yaml:"datasets"`
	// Figures are values that the paper gives in a figure only.
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
	Rank   string   `yaml:"rank"`   // what paper.yaml calls the paper's average rank of this table, if it gives one
}

// paperDataset is a dataset of the paper.
type paperDataset struct {
	Name       string `yaml:"name"`
	Against    string `yaml:"against"`    // the model from which the paper counts its values: it gives differences
	Closed     string `yaml:"closed"`     // why nobody else can measure it; empty where anybody can
	StandIn    string `yaml:"stand_in"`   // our dataset in its place
	Statistics string `yaml:"statistics"` // a note on the paper's sizes of it
}

var catalogue = sync.OnceValue(func() (d definitions) {
	err := strictyaml.Unmarshal("reference/tables.yaml", tablesYAML, &d)
	return must(d, err)
})

// TableIDs returns the names of all tables and figures.
func TableIDs() []string {
	return lists.Map(catalogue().Tables, func(d definition) string { return d.ID })
}

// TableTasks returns for each table the task whose metrics a suite can choose for
// it, empty where they are its own.
func TableTasks() map[string]protocol.Task {
	out := map[string]protocol.Task{}
	for _, d := range catalogue().Tables {
		out[d.ID] = kinds[d.Kind].task
	}
	return out
}

// dataset finds one of the paper's datasets, by its name in any case.
func (d definitions) dataset(name string) paperDataset {
	p, _ := lists.Find(d.Datasets, func(p paperDataset) bool { return strings.EqualFold(p.Name, name) })
	return p
}
