package results_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
)

// copyOf makes a model answer like seed 0 of another one, or like each of
// its seeds.
func copyOf(model string, skill float64, everySeed bool) func(*record.Record, record.Observed) {
	return func(r *record.Record, o record.Observed) {
		seed := uint64(0)
		if everySeed {
			seed = r.Key.Seed
		}
		maps.Copy(o, scored(seed+100*uint64(len(model))+10_000*uint64(len(r.Key.Dataset)), skill))
	}
}

func duplicates(cells []results.Cell, model string) string {
	for _, c := range cells {
		if c.Model == model {
			return strings.Join(c.Duplicates, "; ")
		}
	}
	return "no such cell"
}

func TestSoundResultsRaiseNoDoubt(t *testing.T) {
	cells := moocAnd(t)
	for _, c := range cells {
		if len(c.Duplicates) > 0 {
			t.Errorf("%s: %q", c.CellKey, c.Duplicates)
		}
	}
	if w := results.Warnings(cells); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
}

// A copy of another model's scores, under another name and specification, is
// told at both rows.
func TestCopiesOfOtherModels(t *testing.T) {
	for name, c := range map[string]struct {
		copy         planted
		own, other   string // footnotes
		model, warns string
	}{
		"of all seeds": {
			planted{"mooc", "copycat", protocol.Learned, 4, 0, copyOf("ccc", 0.3, true)},
			"the same test scores, bit for bit, as The ccc (4 seeds)",
			"the same test scores, bit for bit, as The copycat (4 seeds)",
			"ccc", "ccc on mooc, nc (suite made-up): the same test scores, bit for bit, as The copycat (4 seeds)",
		},
		"of a rule": {
			planted{"mooc", "copycat", protocol.ZeroParameter, 1, 0, copyOf("rule", 0.3, true)},
			"the same test scores, bit for bit, as The rule (1 seed)",
			"the same test scores, bit for bit, as The copycat (1 seed)",
			"rule", "copycat on mooc, nc (suite made-up): the same test scores, bit for bit, as The rule (1 seed)",
		},
		"of a rule by a learned model": {
			planted{"mooc", "copycat", protocol.Learned, 1, 0, copyOf("rule", 0.3, true)},
			"the same test scores, bit for bit, as The rule (1 seed)",
			"the same test scores, bit for bit, as The copycat (1 seed)",
			"rule", "copycat on mooc, nc (suite made-up): the same test scores, bit for bit, as The rule (1 seed)",
		},
	} {
		cells := moocAnd(t, c.copy)
		if got := duplicates(cells, "copycat"); got != c.own {
			t.Errorf("%s: footnote %q, want %q", name, got, c.own)
		}
		if got := duplicates(cells, c.model); got != c.other {
			t.Errorf("%s: footnote at the other %q, want %q", name, got, c.other)
		}
		if got := duplicates(cells, "a"); got != "" {
			t.Errorf("%s: footnote at another model: %q", name, got)
		}
		if got := results.Warnings(cells); len(got) != 1 || got[0] != c.warns {
			t.Errorf("%s: warnings %q, want %q", name, got, c.warns)
		}
	}
}

// The footnotes of copies stand in the table, at both rows.
func TestCopiesAreInTheTable(t *testing.T) {
	head := func(id string) results.ModelHead {
		return results.ModelHead{ID: id, Title: "The " + id, Class: protocol.Learned}
	}
	cells := moocAnd(t, planted{"mooc", "copycat", protocol.Learned, 4, 0, copyOf("ccc", 0.3, true)})
	table := ncTable(t, cells, results.Layout{
		Models: []results.ModelHead{head("a"), head("ccc"), head("copycat")}, Datasets: []results.DatasetHead{mooc},
	})
	for i, want := range []string{"", "as The copycat", "as The ccc"} {
		var notes []string
		for _, e := range table.Blocks[0][i] {
			for _, n := range e.Notes {
				notes = append(notes, table.Notes[n-1])
			}
		}
		if got := strings.Join(notes, "; "); strings.Contains(got, "bit for bit") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("row %d: notes %q, want %q", i, got, want)
		}
	}
}

// One specification under two names gives the same scores, as it should.
func TestAliasesRaiseNoDoubt(t *testing.T) {
	alias := func(r *record.Record, o record.Observed) {
		copyOf("ccc", 0.3, true)(r, o)
		r.Spec = json.RawMessage(strings.Replace(string(r.Spec), `"kind": "alias"`, `"kind": "ccc"`, 1))
	}
	cells := moocAnd(t, planted{"mooc", "alias", protocol.Learned, 4, 0, alias})
	if w := results.Warnings(cells); len(w) > 0 || duplicates(cells, "alias") != "" {
		t.Errorf("warnings %q, footnotes %q", w, duplicates(cells, "alias"))
	}
}

// A seed that does not reach the model, or a record that was copied.
func TestReusedSeeds(t *testing.T) {
	first := func(r *record.Record, o record.Observed) {
		if r.Key.Seed != 1 {
			copyOf("reused", 1, false)(r, o)
		}
	}
	cells := moocAnd(t, planted{"mooc", "reused", protocol.Learned, 3, 1, first})
	want := "seeds 0, 2 gave the same test scores, bit for bit: the seed does not reach the model, or a record is a copy"
	if got := duplicates(cells, "reused"); got != want {
		t.Errorf("footnote %q, want %q", got, want)
	}
	if got := results.Warnings(cells); len(got) != 1 || got[0] != "reused on mooc, nc (suite made-up): "+want {
		t.Errorf("warnings %q", got)
	}
	cells = moocAnd(t, planted{"mooc", "reused", protocol.ZeroParameter, 3, 1, first})
	if got := results.Warnings(cells); len(got) > 0 {
		t.Errorf("a rule has nothing random, but: %q", got)
	}
}
