package results_test

import (
	"slices"
	"strings"
	"testing"

	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/table"
)

// standInTable is the table of two models on a dataset that stands in for one
// of the paper's.
func standInTable(t *testing.T, models ...results.ModelHead) table.Table {
	t.Helper()
	return differencesOf(t, standInCells(t), models...)
}

func standInCells(t *testing.T) []results.Cell {
	t.Helper()
	return measured(t,
		planted{"fi-a-sim", "raw", protocol.Learned, 4, 3, nil},
		planted{"fi-a-sim", "tgn-id", protocol.Learned, 4, 0.5, nil},
	)
}

func differencesOf(t *testing.T, cells []results.Cell, models ...results.ModelHead) table.Table {
	t.Helper()
	return ncTable(t, cells, results.Layout{
		Models: models, Datasets: []results.DatasetHead{{ID: "fi-a-sim", Title: "fi-a-sim"}},
	})
}

// TestDifferencesFromABetterModel: the interval lies around the difference,
// below zero.
func TestDifferencesFromABetterModel(t *testing.T) {
	made := standInTable(t, rawHead, tgnHead)
	v := made.Blocks[0][1][2].Value
	if v == nil || v.Mean >= 0 || v.Low >= v.Mean || v.High <= v.Mean || v.High >= 0 {
		t.Errorf("TGN-ID less Raw: %+v", v)
	}
	if raw := made.Blocks[0][0][2].Value; raw == nil || raw.Mean != 0 || raw.Low.Present() || raw.Std.Present() {
		t.Errorf("Raw less itself: %+v", raw)
	}
	legend := strings.Join(made.Legend, "; ")
	if !strings.Contains(legend, "Δ: less The raw on the same events; ± is the model's own, [low, high] over events and seeds") ||
		strings.Contains(legend, "resampled") {
		t.Errorf("legend %q", legend)
	}
}

// TestNoDifferencesFromADegenerateModel: what says nothing of Raw says nothing
// of how far another model lies above it.
func TestNoDifferencesFromADegenerateModel(t *testing.T) {
	cells := standInCells(t)
	for i, c := range cells {
		for k := range c.Rows {
			cells[i].Rows[k].Degenerate = c.Model == "raw"
		}
	}
	made := differencesOf(t, cells, rawHead, tgnHead)
	for _, row := range made.Blocks[0] {
		if e := row[2]; e.Value != nil || len(e.Notes) == 0 {
			t.Errorf("%s: %+v", row[0].Text, e)
		}
	}
}

// TestNoDifferencesWithoutTheirBase: without Raw in the suite, a stand-in
// shows its own values.
func TestNoDifferencesWithoutTheirBase(t *testing.T) {
	made := standInTable(t, tgnHead)
	if v := made.Blocks[0][0][2].Value; v == nil || v.Signed || v.Mean < 50 {
		t.Errorf("TGN-ID: %+v", v)
	}
	if i := slices.IndexFunc(made.Columns, func(c table.Column) bool { return strings.Contains(c.Head, "Δ") }); i >= 0 {
		t.Errorf("a column %q", made.Columns[i].Head)
	}
	legend := strings.Join(made.Legend, "; ")
	if strings.Contains(legend, "Δ") || !strings.Contains(legend, "events resampled 1000 times") {
		t.Errorf("legend %q", legend)
	}
}
