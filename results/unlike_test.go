package results_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/results/table"
	"dgsbench/specs"
)

const (
	untuned    = "the paper's models are the best of 100 trials each; ours are not tuned"
	someTuned  = "the paper's models are the best of 100 trials each; of ours those are tuned whose footnotes name a search"
	stateOf100 = "a state of 100 numbers, the paper's has 250"
	aSearch    = "best of 20 trials, tuned/wikipedia-lp-T/jodie.jsonl"
)

// TestUnlikeThePaper: a reader of values beside the paper's is told of searches
// and sizes of states, and nobody is where the paper has no value.
func TestUnlikeThePaper(t *testing.T) {
	cell := func(dataset, model string, state int, searches ...string) results.Cell {
		return with(lp(dataset, "T", model, .5, .02, 10), func(c *results.Cell) { c.State, c.Searches = state, searches })
	}
	frozenHead := results.ModelHead{ID: "dgs", Variant: "frozen", Title: "DGS, frozen", Class: protocol.Learned}
	variant := cell("wikipedia", "dgs", 100)
	variant.Variant = "frozen"
	for name, c := range map[string]struct {
		dataset results.DatasetHead
		cells   []results.Cell
		head    []string            // at the paper's columns
		at      map[string][]string // at ours, by model
	}{
		"untuned": {wikipedia, []results.Cell{cell("wikipedia", "dgs", 250), cell("wikipedia", "jodie", 100)}, []string{untuned}, nil},
		"another size": {
			wikipedia, []results.Cell{cell("wikipedia", "dgs", 100), cell("wikipedia", "jodie", 100)}, []string{untuned},
			map[string][]string{"DGS": {stateOf100}},
		},
		"size not known": {wikipedia, []results.Cell{cell("wikipedia", "dgs", 0)}, []string{untuned}, nil},
		"tuned": {
			wikipedia, []results.Cell{cell("wikipedia", "dgs", 250), cell("wikipedia", "jodie", 32, aSearch)}, []string{someTuned},
			map[string][]string{"Jodie": {"tuned: " + aSearch}},
		},
		"a version": {
			bareWiki, []results.Cell{cell("wikipedia-nofeat", "dgs", 250)},
			[]string{"the paper's values are of Wikipedia, of which wikipedia-nofeat is another version", untuned}, nil,
		},
		"variants are not the paper's": {wikipedia, []results.Cell{variant}, nil, nil},
		"not in the paper":             {college, []results.Cell{cell("collegemsg", "dgs", 100, aSearch)}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := results.Make(results.Input{Cells: c.cells, Links: results.Layout{
				Models: []results.ModelHead{jodieHead, dgsHead, frozenHead}, Datasets: []results.DatasetHead{c.dataset}, Settings: []protocol.Setting{"T"},
				Candidates: []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations},
			}}, specs.Tables{Show: []specs.Table{{ID: "lp"}}})
			if err != nil || len(made.Tables) == 0 {
				t.Fatalf("%d tables, %v", len(made.Tables), err)
			}
			all := made.Tables[0]
			for _, column := range all.Columns {
				if column.Kind == table.Published && column.Metric != "average rank" {
					expectNotes(t, all, column.Head, column.Notes, c.head)
				}
			}
			for _, row := range slices.Concat(all.Blocks...) {
				expectNotes(t, all, row[1].Text, row[3].Notes, c.at[row[1].Text])
			}
			for _, made := range made.Tables[1:] { // beside which the paper has nothing
				for _, note := range made.Notes {
					if strings.Contains(note, "the paper's") || strings.HasPrefix(note, "tuned") {
						t.Errorf("%s: %s", made.Title, note)
					}
				}
			}
		})
	}
}

func expectNotes(t *testing.T, of table.Table, where string, refs []int, want []string) {
	t.Helper()
	var got []string
	for _, n := range refs {
		got = append(got, of.Notes[n-1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("footnotes of %s are %q, expected %q", where, got, want)
	}
}

// TestCellsOfTunedModels: a cell has the searches and the size of a state from
// its records.
func TestCellsOfTunedModels(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	r := recordtest.Trial("nc", "", "dgs", 0)
	r.StateSize, r.Origins = 32, json.RawMessage(`{"size": {"origin": "tuned", "record": "`+aSearch+`"}}`)
	recordtest.Write(t, s, r, recordtest.Classified())
	if c := aggregate(t, s)[0]; c.State != 32 || !slices.Equal(c.Searches, []string{aSearch}) {
		t.Errorf("a state of %d, searches %q", c.State, c.Searches)
	}
}
