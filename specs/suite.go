package specs

import (
	"maps"
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
)

// Suite is a list of runs: models on datasets under a protocol.
type Suite struct {
	Name  string
	Title string
	File  string
	// Seeds is the number of seeds of models with something to learn. The
	// others run once: nothing in them is random. So do latency tests: times
	// do not depend on a seed.
	Seeds  int
	Tables Tables // what is shown of it

	models []Model // of the cells, in order
	cells  []Trial // one a table cell, in the suite's order, with seed 0
}

type suiteYAML struct {
	Name     string            `yaml:"name"`
	Title    string            `yaml:"title"`
	Protocol strictyaml.Node   `yaml:"protocol"`
	Seeds    int               `yaml:"seeds"`
	Runs     []strictyaml.Node `yaml:"runs"`
	Tables   struct {
		Show          []strictyaml.Node `yaml:"show"`
		PaperDatasets bool              `yaml:"paper_datasets"`
	} `yaml:"tables"`
}

// suiteReader collects the cells of a suite and what is wrong with it.
type suiteReader struct {
	lib    *Library
	suite  Suite
	models map[string]Model           // by id; those that could be read
	taken  map[string]strictyaml.Node // cell -> its run
	size   float64                    // cells of the runs so far
	errs   strictyaml.Errors
}

// mostCells is the number of cells that a suite may have.
const mostCells = 10_000

// newSuite reads a suite and resolves all of its cells.
func newSuite(n strictyaml.Node, lib *Library) (Suite, error) {
	y := suiteYAML{Seeds: 1}
	r := suiteReader{lib: lib, models: map[string]Model{}, taken: map[string]strictyaml.Node{}}
	r.errs.Add(n.Decode(&y))
	require(n, &r.errs, "name", "title", "runs")
	checkName(n.Get("name"), y.Name, &r.errs)
	checkTitle(n.Get("title"), &r.errs)
	if len(y.Runs) == 0 && n.Get("runs").Present() {
		r.errs.Add(n.Get("runs").Errorf("expected at least one run"))
	}
	r.suite = Suite{Name: y.Name, Title: y.Title, File: n.File(), Seeds: y.Seeds}
	if y.Seeds < 1 || y.Seeds > MostSeeds {
		r.errs.Add(n.Get("seeds").Errorf("expected 1 to %d, found %d", MostSeeds, y.Seeds))
	}
	protocol := DefaultProtocol().with(y.Protocol, &r.errs)
	if protocol.Latency != nil && y.Seeds != 1 {
		r.errs.Add(n.Get("seeds").Errorf("a latency test has one seed: times do not depend on it"))
	}
	for _, run := range y.Runs {
		r.addRun(run, protocol)
		if r.size > mostCells {
			r.errs.Add(run.Errorf("the suite has %.0f table cells up to this run, expected at most %d", r.size, mostCells))
			break
		}
	}
	for _, id := range lib.own {
		r.addOwn(n, id)
	}
	known := map[string]bool{}
	for _, cell := range r.suite.cells {
		if !known[cell.ModelID] {
			known[cell.ModelID] = true
			r.suite.models = append(r.suite.models, r.models[cell.ModelID])
		}
	}
	r.suite.Tables.PaperDatasets = y.Tables.PaperDatasets
	r.readTables(y.Tables.Show)
	if err := r.errs.Err(); err != nil {
		return Suite{}, err
	}
	return r.suite, nil
}

// Models lists the specs that the suite's cells are of, in their order.
func (s Suite) Models() []Model { return slices.Clone(s.models) }

// addOwn adds cells of a user's model, if the suite does not name it, wherever
// the suite has something that it can do.
func (r *suiteReader) addOwn(suite strictyaml.Node, id string) {
	m, ok := r.model(suite, id)
	if !ok || slices.ContainsFunc(r.suite.cells, func(t Trial) bool { return t.ModelID == id }) {
		return
	}
	type place struct {
		Place
		name string // of the case
	}
	done := map[place]bool{}
	for _, t := range slices.Clone(r.suite.cells) {
		at := place{Place{t.Dataset, t.Task, t.Setting}, t.Case}
		if d, _ := datasets.Lookup(t.Dataset); m.Kind.Supports(t.Task) && m.Kind.Fits(d) && !done[at] {
			done[at] = true
			r.addCell(suite, at.Place, id, strictyaml.Node{}, protocolCase{at.name, t.Protocol})
		}
	}
}

// Tables are what a suite prints of its results.
type Tables struct {
	// Show lists the tables in order; the usual ones where it is empty.
	Show []Table
	// PaperDatasets adds those of the paper's datasets that the suite does
	// not measure, with the paper's values alone.
	PaperDatasets bool
}

// Table is one table of a suite. What it chooses is in the suite.
type Table struct {
	ID    string `yaml:"table"` // of package results; see Known
	Title string `yaml:"title"` // in place of the table's own; may be empty
	// Models (as id or id+variant) and Datasets are shown, in this order, and
	// Without is left out; empty means all.
	Models   []string `yaml:"models" list:"some distinct"`
	Without  []string `yaml:"without" list:"some distinct"`
	Datasets []string `yaml:"datasets" list:"some distinct"`

	at strictyaml.Node
}

// Known reports the first table that is not among the known ones, with its
// place in the suite's file.
func (t Tables) Known(ids []string) error {
	for _, table := range t.Show {
		if !slices.Contains(ids, table.ID) {
			return table.at.Errorf("%s", unknown("table", table.ID, ids))
		}
	}
	return nil
}

// readTables reads the tables of a suite, after its cells: names of tables, or
// mappings.
func (r *suiteReader) readTables(show []strictyaml.Node) {
	refs, data := map[string]bool{}, map[string]bool{}
	for _, cell := range r.suite.cells {
		refs[cell.Ref()], data[cell.Dataset] = true, true
	}
	for _, n := range show {
		t := Table{at: n}
		if n.IsMapping() {
			r.errs.Add(n.Decode(&t))
			require(n, &r.errs, "table")
			checkTitle(n.Get("title"), &r.errs)
			r.checkChosen(n.Get("models"), "model", t.Models, refs)
			r.checkChosen(n.Get("without"), "model", t.Without, refs)
			r.checkChosen(n.Get("datasets"), "dataset", t.Datasets, data)
		} else {
			r.errs.Add(n.Decode(&t.ID))
		}
		r.suite.Tables.Show = append(r.suite.Tables.Show, t)
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
