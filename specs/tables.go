package specs

import (
	"maps"
	"slices"

	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
)

// Tables say what a suite shows of its results.
type Tables struct {
	// Show lists the tables in order; the usual ones where it is empty.
	Show []Table
	// PaperDatasets adds those of the paper's datasets that the suite does
	// not measure, with the paper's values alone.
	PaperDatasets bool
}

// Table is one table of a suite. What it chooses is in the suite.
type Table struct {
	ID    string // which ones there are is known to whoever makes them: see Known
	Title string // in place of the table's own; may be empty
	// Models (as id or id+variant) and Datasets are shown, in this order, and
	// Without is left out; none stand for all.
	Models, Without, Datasets []string

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

type tablesYAML struct {
	Show          []strictyaml.Node `yaml:"show"`
	PaperDatasets bool              `yaml:"paper_datasets"`
}

// tableYAML is an entry of show that does more than name a table.
type tableYAML struct {
	Table    string          `yaml:"table"`
	Title    string          `yaml:"title"`
	Models   strictyaml.Node `yaml:"models"`
	Without  strictyaml.Node `yaml:"without"`
	Datasets strictyaml.Node `yaml:"datasets"`
}

// readTables reads a `tables:` block, after the cells of the suite.
func (r *suiteReader) readTables(n strictyaml.Node) {
	var y tablesYAML
	r.errs.Add(n.Decode(&y))
	r.suite.Tables.PaperDatasets = y.PaperDatasets
	refs, data := map[string]bool{}, map[string]bool{}
	for _, cell := range r.suite.cells {
		refs[cell.Ref()], data[cell.Dataset] = true, true
	}
	for _, item := range y.Show {
		r.suite.Tables.Show = append(r.suite.Tables.Show, r.readTable(item, refs, data))
	}
}

func (r *suiteReader) readTable(n strictyaml.Node, refs, data map[string]bool) Table {
	t := Table{at: n}
	if !n.IsMapping() {
		r.errs.Add(n.Decode(&t.ID))
		return t
	}
	var y tableYAML
	r.errs.Add(n.Decode(&y))
	require(n, &r.errs, "table")
	if n.Get("title").Present() {
		checkTitle(n.Get("title"), &r.errs)
	}
	t.ID, t.Title = y.Table, y.Title
	t.Models = r.chosen(y.Models, "model", refs)
	t.Without = r.chosen(y.Without, "model", refs)
	t.Datasets = r.chosen(y.Datasets, "dataset", data)
	return t
}

// chosen are names that the suite has.
func (r *suiteReader) chosen(n strictyaml.Node, what string, known map[string]bool) []string {
	names, items := readList[string](n, &r.errs), n.Items()
	for i, name := range names {
		if !known[name] && !r.errs.Full() {
			r.errs.Add(items[i].Errorf("%s %q is not in this suite%s", what, name, suggest.Hint(name, slices.Sorted(maps.Keys(known)))))
		}
	}
	return names
}
