package specs

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/strictyaml"
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
	Tables   strictyaml.Node   `yaml:"tables"`
}

// suiteReader gathers the cells of a suite and what is wrong with it.
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
	inRange(n.Get("seeds"), y.Seeds, 1, MostSeeds, &r.errs)
	if len(y.Runs) == 0 && n.Get("runs").Present() {
		r.errs.Add(n.Get("runs").Errorf("expected at least one run"))
	}
	r.suite = Suite{Name: y.Name, Title: y.Title, File: n.File(), Seeds: y.Seeds}
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
	r.addModels()
	r.readTables(y.Tables)
	if err := r.errs.Err(); err != nil {
		return Suite{}, err
	}
	return r.suite, nil
}

// Models lists the specs that the suite's cells are of, in their order.
func (s Suite) Models() []Model { return slices.Clone(s.models) }

// addModels lists the models of the cells.
func (r *suiteReader) addModels() {
	known := map[string]bool{}
	for _, cell := range r.suite.cells {
		if !known[cell.ModelID] {
			known[cell.ModelID] = true
			r.suite.models = append(r.suite.models, r.models[cell.ModelID])
		}
	}
}

// addOwn puts a user's model, if the suite does not name it, wherever the
// suite has something that it can do.
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
