package results

import (
	"fmt"

	"dgsbench/metrics"
)

// Layout says what a table is to show, in which order. Cells that are
// missing show as dashes.
type Layout struct {
	Models   []ModelHead
	Datasets []DatasetHead
	Settings []string // T, I; link prediction only
	Command  string   // that makes the table
}

// ModelHead is a row of a table.
type ModelHead struct {
	ID, Variant string
	Title       string
	Class       Class
}

// DatasetHead stands over a dataset's columns.
type DatasetHead struct {
	ID        string
	Title     string // a few words
	PaperName string // the paper's values to show beside ours; empty for none
}

// NodeClassification is the table of test AUCs, models x datasets.
func NodeClassification(cells []Cell, l Layout) (Table, error) {
	l.Settings = []string{""}
	b, err := newBuilder(cells, l, metrics.NodeClassification, "", "auc")
	if err != nil {
		return Table{}, err
	}
	return b.build("Node classification, test events"), nil
}

// LinkPrediction is the table of test MRRs and Recalls@10 against one set of
// candidates (AllNodes or Destinations), settings x models x datasets. The
// paper's values stand in the table of AllNodes.
func LinkPrediction(cells []Cell, l Layout, candidates string) (Table, error) {
	b, err := newBuilder(cells, l, metrics.LinkPrediction, candidates, "mrr", "recall@10")
	if err != nil {
		return Table{}, err
	}
	against := map[string]string{AllNodes: "all nodes", Destinations: "all destinations"}[candidates]
	return b.build("Link prediction against " + against + ", test events"), nil
}

// place is where a cell stands in a table.
type place struct{ dataset, setting, model, variant string }

// index finds the cells of a task by their place.
func index(cells []Cell, task string) (map[place]*Cell, error) {
	at := map[place]*Cell{}
	for i := range cells {
		c := &cells[i]
		if c.Task != task {
			continue
		}
		p := place{c.Dataset, c.Setting, c.Model, c.Variant}
		if other, taken := at[p]; taken {
			return nil, fmt.Errorf("%s on %s and %s on %s would stand in the same place of a table; choose one",
				other.CellKey, other.Device, c.CellKey, c.Device)
		}
		at[p] = c
	}
	return at, nil
}
