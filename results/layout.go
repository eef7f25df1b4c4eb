package results

import (
	"slices"
	"strings"

	"dgsbench/protocol"
	"dgsbench/specs"
)

// Layout has the models, datasets and settings of a table in their order. Cells
// that are missing are dashes.
type Layout struct {
	Models     []ModelHead
	Datasets   []DatasetHead
	Settings   []protocol.Setting      // T, I; link prediction only
	Candidates []protocol.CandidateSet // that events are ranked against; link prediction only
}

// ModelHead is a row of a table.
type ModelHead struct {
	ID, Variant string
	Title       string
	Class       protocol.Class
}

// DatasetHead is the head of a dataset's columns: those of one case, where the
// suite has several.
type DatasetHead struct {
	ID, Case   string
	Candidates protocol.CandidateSet // that events are ranked against in link prediction
	Title      string                // a few words
	Place      string                // Title without the size of evaluation batches
	Events     int                   // in an evaluation batch, where the trials have several sizes
	Further    bool                  // not the first of these sizes
	Delay      int                   // of a series of datasets that differ by it; see datasets.Dataset
	PaperName  string                // of the paper's values beside ours; empty for none
	Against    string                // the model to whose value the paper gives differences; empty where it gives values
}

// candidates are the sets of candidates in words, and what a reader must know
// of each.
var candidates = map[protocol.CandidateSet]struct{ words, note string }{
	protocol.AllNodes: {
		"all nodes", "every node is a candidate: where sources are never destinations, models gain by telling the two apart",
	},
	protocol.Destinations: {"destinations", "the candidates are the nodes that are a destination anywhere in the stream, as in TGB"},
}

// ref names model and variant, as in "edgebank+tw".
func (m ModelHead) ref() string { return specs.JoinRef(m.ID, m.Variant) }

// heading returns the title above the columns: the dataset, and what events are ranked
// against.
func (d DatasetHead) heading() string {
	if d.Candidates == "" {
		return d.Title
	}
	return d.Title + ", " + candidates[d.Candidates].words
}

// unit returns the unit of the dataset's values.
func (d DatasetHead) unit() string {
	if d.Against != "" {
		return "pp"
	}
	return "%"
}

// addStandIns puts the paper's values of a proprietary dataset beside those of
// its stand-in, where the suite has the model that the paper counts from.
func (l Layout) addStandIns() {
	for i, d := range l.Datasets {
		for _, p := range catalogue().Datasets {
			if p.standsIn(d) && slices.ContainsFunc(l.Models, func(m ModelHead) bool { return m.ref() == p.Against }) {
				l.Datasets[i].PaperName, l.Datasets[i].Against = p.Name, p.Against
			}
		}
	}
}

// standsIn reports whether our dataset, of any size, stands in for the
// paper's.
func (p paperDataset) standsIn(d DatasetHead) bool {
	base, _, _ := strings.Cut(d.ID, "@")
	return p.StandIn != "" && base == p.StandIn
}

// withoutDifferences returns a layout for tables that cannot show the paper's differences.
func (l Layout) withoutDifferences() Layout {
	l.Datasets = slices.Clone(l.Datasets)
	for i := range l.Datasets {
		if d := &l.Datasets[i]; d.Against != "" {
			d.Against, d.PaperName = "", ""
		}
	}
	return l
}
