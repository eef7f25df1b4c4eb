package results

import (
	"fmt"

	"dgsbench/protocol"
	"dgsbench/results/table"
)

// Layout says what a table is to show, in which order. Cells that are
// missing show as dashes.
type Layout struct {
	Models   []ModelHead
	Datasets []DatasetHead
	Settings []protocol.Setting // T, I; link prediction only
	// Suite are the datasets of the whole suite, of which flags may have left
	// some out.
	Suite    []DatasetHead
	Subtitle string // what the suite says of itself; may be empty
	Command  string // that makes the table
	Source   string // the specs and the code that its records are of
}

// titled is a table's title with what the suite says of itself.
func (l Layout) titled(title string) string {
	if l.Subtitle == "" {
		return title
	}
	return title + " (" + l.Subtitle + ")"
}

// ModelHead is a row of a table.
type ModelHead struct {
	ID, Variant string
	Title       string
	Class       protocol.Class
}

// ref names model and variant, as in "edgebank+tw".
func (m ModelHead) ref() string {
	if m.Variant == "" {
		return m.ID
	}
	return m.ID + "+" + m.Variant
}

// DatasetHead stands over a dataset's columns: those of one case, where the
// suite has several.
type DatasetHead struct {
	ID   string
	Case string
	// Candidates are those that events are ranked against in link prediction.
	Candidates protocol.CandidateSet
	Title      string // a few words
	PaperName  string // the paper's values to show beside ours; empty for none
	PaperOnly  bool   // nothing is measured of it here
	LeftOut    bool   // the suite measures it, or its stand-in, but flags left it out
	// Against is the model to whose value the paper gives differences; empty
	// where it gives the values themselves.
	Against string
}

// classification is the table of test AUCs, models x datasets. rank is what
// paper.yaml calls the paper's average rank.
func classification(cells []Cell, l Layout, title, rank string) (table.Table, error) {
	l.Settings = []protocol.Setting{""}
	b, err := newBuilder(cells, l, protocol.NodeClassification, "auc")
	if err != nil {
		return table.Table{}, err
	}
	b.rank = rank
	return b.build(title + ", test events"), nil
}

// links is the table of test MRRs and Recalls@10, settings x models x datasets,
// each against every set of candidates. The paper's values stand beside those
// against AllNodes, and ranks are by the first set.
func links(cells []Cell, l Layout, sets []protocol.CandidateSet, title, rank string) (table.Table, error) {
	var heads []DatasetHead
	for _, d := range l.Datasets {
		for i, set := range sets {
			if d.Candidates = set; i == 0 || !d.PaperOnly {
				heads = append(heads, d)
			}
		}
	}
	l.Datasets = heads
	b, err := newBuilder(cells, l, protocol.LinkPrediction, "mrr", "recall@10")
	if err != nil {
		return table.Table{}, err
	}
	b.rank = rank
	return b.build(title + ", test events"), nil
}

// against are the sets of candidates in words, and what a reader must know of
// each.
var against = map[protocol.CandidateSet]struct{ words, note string }{
	protocol.AllNodes:     {"all nodes", "every node is a candidate: where sources are never destinations, models gain by telling the two apart"},
	protocol.Destinations: {"destinations", "the candidates are the nodes that are a destination anywhere in the stream, as in TGB"},
}

// title stands over the columns: the dataset, and what events are ranked
// against.
func (d DatasetHead) title() string {
	if d.Candidates == "" {
		return d.Title
	}
	return d.Title + ", " + against[d.Candidates].words
}

// place is where a cell stands in a table.
type place struct {
	dataset, kase  string
	setting        protocol.Setting
	model, variant string
}

// index finds the cells of a task by their place.
func index(cells []Cell, task protocol.Task) (map[place]*Cell, error) {
	at := map[place]*Cell{}
	for i := range cells {
		c := &cells[i]
		if c.Task != task {
			continue
		}
		p := place{c.Dataset, c.Case, c.Setting, c.Model, c.Variant}
		if other, taken := at[p]; taken {
			return nil, fmt.Errorf("%s on %s and %s on %s would stand in the same place of a table; choose one",
				other.CellKey, other.Device, c.CellKey, c.Device)
		}
		at[p] = c
	}
	return at, nil
}
