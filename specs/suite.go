package specs

import (
	"maps"
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/lists"
	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
	"dgsbench/metrics"
	"dgsbench/protocol"
)

// Suite is a list of runs: models on datasets under a protocol.
type Suite struct {
	Name  string
	Title string
	File  string
	// Seeds is the number of seeds of models with something to learn. Others run
	// once, and so do latency tests: nothing in them depends on a seed.
	Seeds  int
	Tuned  bool   // it has options that the project's searches found, where they did
	Tables Tables // what is shown of it

	models []Model // of the cells, in order
	cells  []Trial // one a table cell, in the suite's order, with seed 0
}

type suiteYAML struct {
	Name     string            `yaml:"name"`
	Title    string            `yaml:"title" key:"required" text:"title"`
	Protocol strictyaml.Node   `yaml:"protocol"`
	Seeds    int               `yaml:"seeds" range:"1 1000"` // to MostSeeds
	Tuned    bool              `yaml:"tuned"`
	Runs     []strictyaml.Node `yaml:"runs"`
	Tables   struct {
		Show []strictyaml.Node `yaml:"show"`
	} `yaml:"tables"`
}

// suiteReader collects the cells of a suite and what is wrong with it.
type suiteReader struct {
	lib    *Library
	suite  Suite
	models map[string]Model           // by id; those that could be read
	taken  map[string]strictyaml.Node // cell -> its run
	sizes  map[Place][]int            // of evaluation batches, by dataset and task
	size   float64                    // cells of the runs so far
	errs   strictyaml.Errors
}

// maxCells is the number of cells that a suite may have.
const maxCells = 10_000

// newSuite reads a suite and resolves all of its cells.
func newSuite(n strictyaml.Node, lib *Library) (Suite, error) {
	y := suiteYAML{Seeds: 1}
	r := suiteReader{lib: lib, models: map[string]Model{}, taken: map[string]strictyaml.Node{}, sizes: map[Place][]int{}}
	r.errs.Add(n.Decode(&y))
	if len(y.Runs) == 0 {
		r.errs.Add(n.Get("runs").Errorf("expected at least one run"))
	}
	r.suite = Suite{Name: y.Name, Title: y.Title, File: n.File(), Seeds: y.Seeds, Tuned: y.Tuned}
	base := DefaultProtocol().with(y.Protocol, &r.errs)
	if (base.Latency != nil || base.Live != nil) && y.Seeds != 1 {
		r.errs.Add(n.Get("seeds").Errorf("latency and live tests have one seed: times do not depend on it"))
	}
	for _, run := range y.Runs {
		r.addRun(run, base)
		if r.size > maxCells {
			r.errs.Add(run.Errorf("the suite has %.0f table cells up to this run, expected at most %d", r.size, maxCells))
			break
		}
	}
	for _, id := range lib.own {
		r.addOwn(n, id)
	}
	for _, id := range lists.Unique(r.suite.cells, func(cell Trial) string { return cell.ModelID }) {
		r.suite.models = append(r.suite.models, r.models[id])
	}
	r.readTables(y.Tables.Show)
	if y.Tuned && !lib.Untuned && !slices.ContainsFunc(r.suite.cells, func(t Trial) bool { return anyTuned(t.Origins) }) && r.errs.Err() == nil {
		r.errs.Add(n.Get("tuned").Errorf("no model was tuned on a dataset of the suite; leave the key out"))
	}
	return r.suite, r.errs.Err()
}

// Models lists the specs that the suite's cells are of, in their order.
func (s Suite) Models() []Model { return slices.Clone(s.models) }

// addOwn adds cells of a model that the suite does not name, wherever it can do them.
func (r *suiteReader) addOwn(suite strictyaml.Node, id string) {
	m, ok := r.model(suite, id)
	if !ok || slices.ContainsFunc(r.suite.cells, func(t Trial) bool { return t.ModelID == id }) {
		return
	}
	for _, t := range slices.Clone(r.suite.cells) {
		d, _ := datasets.Lookup(t.Dataset)
		if m.Kind.Supports(t.Task) && m.Kind.Fits(d) && (t.IsLive() || m.Kind.Class != protocol.Null) { // added once a place and case
			r.addCell(suite, t.Place(), id, strictyaml.Node{}, protocolCase{t.Case, t.Protocol, t.Alternatives})
		}
	}
}

// Tables are what a suite prints of its results.
type Tables struct {
	Show []Table // in order; the usual ones where it is empty
	// Unlisted are the ids of those that a report adds. Their metrics have no
	// intervals, and models are not compared by them.
	Unlisted []string
}

// Listed returns the tables without those that a report adds.
func (t Tables) Listed() Tables {
	return Tables{Show: slices.DeleteFunc(slices.Clone(t.Show), func(one Table) bool { return slices.Contains(t.Unlisted, one.ID) })}
}

// Table is one table of a suite. What it chooses is in the suite.
type Table struct {
	ID    string `yaml:"table" key:"required"` // of package results; see Known
	Title string `yaml:"title" text:"title"`   // in place of the table's own; may be empty
	// Models (as id or id+variant) and Datasets are shown, in this order, and
	// Without is left out; empty means all.
	Models   []string `yaml:"models" list:"some distinct"`
	Without  []string `yaml:"without" list:"some distinct"`
	Datasets []string `yaml:"datasets" list:"some distinct"`
	// Metrics are shown, the headline first, as metrics.Lookup knows them; empty
	// for those of the table.
	Metrics []string `yaml:"metrics" list:"some distinct"`

	at strictyaml.Node
}

// Known reports the first table that is none of these, or chooses metrics that it
// cannot show: those of other tasks or, where a table's task is empty, any.
func (t Tables) Known(tasks map[string]protocol.Task) error {
	for _, table := range t.Show {
		task, ok := tasks[table.ID]
		if !ok {
			return table.at.Errorf("%s", unknown("table", table.ID, slices.Sorted(maps.Keys(tasks))))
		}
		at := table.at.Get("metrics")
		if len(table.Metrics) > 0 && task == "" {
			return at.Errorf("the metrics of the table %s are its own; leave the key out", table.ID)
		}
		for i, name := range table.Metrics {
			if m, err := metrics.Lookup(name); err == nil && m.Task != task { // other errors are known by now
				return at.Items()[i].Errorf("%s is no metric of the table %s, which is about the task %q", name, table.ID, task)
			}
		}
	}
	return nil
}

// readTables reads names of tables, or mappings, after the cells.
func (r *suiteReader) readTables(show []strictyaml.Node) {
	refs, data := map[string]bool{}, map[string]bool{}
	for _, cell := range r.suite.cells {
		refs[cell.Ref()], data[cell.Dataset] = true, true
	}
	for _, n := range show {
		t := Table{at: n}
		if n.IsMapping() {
			r.errs.Add(n.Decode(&t))
			r.checkChosen(n.Get("models"), "model", t.Models, refs)
			r.checkChosen(n.Get("without"), "model", t.Without, refs)
			r.checkChosen(n.Get("datasets"), "dataset", t.Datasets, data)
			checkMetrics(n.Get("metrics"), t.Metrics, &r.errs)
		} else {
			r.errs.Add(n.Decode(&t.ID))
		}
		r.suite.Tables.Show = append(r.suite.Tables.Show, t)
	}
}

// checkMetrics reports names that no metric has, or a point of a curve.
func checkMetrics(n strictyaml.Node, names []string, errs *strictyaml.Errors) {
	for i, name := range names {
		if m, err := metrics.Lookup(name); err != nil {
			errs.Add(n.Items()[i].Errorf("%v", err))
		} else if m.OfCurve {
			errs.Add(n.Items()[i].Errorf("%s is a point of a curve, expected another metric", name))
		}
	}
}

// checkChosen reports names that the suite does not have.
func (r *suiteReader) checkChosen(n strictyaml.Node, what string, names []string, known map[string]bool) {
	items := n.Items()
	for i, name := range names {
		if !known[name] && !r.errs.Full() {
			r.errs.Add(items[i].Errorf("%s %q is not in this suite%s", what, name, suggest.Hint(name, slices.Sorted(maps.Keys(known)))))
		}
	}
}
