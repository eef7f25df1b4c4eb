package results_test

import (
	"slices"
	"strings"
	"testing"

	"dgsbench/results"
)

// standInTable is the table of two models on a dataset that stands in for one
// of the paper's.
func standInTable(t *testing.T, models ...results.ModelHead) results.Table {
	t.Helper()
	cells := measured(t,
		planted{"fi-a-sim", "raw", results.Learned, 4, 3, nil},
		planted{"fi-a-sim", "tgn-id", results.Learned, 4, 0.5, nil},
	)
	return ncTable(t, cells, results.Layout{
		Models: models, Datasets: []results.DatasetHead{{ID: "fi-a-sim", Title: "fi-a-sim"}},
	})
}

// TestDifferencesFromABetterModel: the interval lies around the difference,
// below zero.
func TestDifferencesFromABetterModel(t *testing.T) {
	table := standInTable(t, rawHead, tgnHead)
	v := table.Blocks[0][1][1].Value
	if v == nil || v.Mean >= 0 || v.Low >= v.Mean || v.High <= v.Mean || v.High >= 0 {
		t.Errorf("TGN-ID less Raw: %+v", v)
	}
	if raw := table.Blocks[0][0][1].Value; raw == nil || raw.Mean != 0 || raw.Low.Present() || raw.Std.Present() {
		t.Errorf("Raw less itself: %+v", raw)
	}
	legend := strings.Join(table.Legend, "; ")
	if !strings.Contains(legend, "Δ: less The raw on the same events; ± is the model's own, [low, high] over events and seeds") ||
		strings.Contains(legend, "resampled") {
		t.Errorf("legend %q", legend)
	}
}

// TestNoDifferencesWithoutTheirBase: without Raw in the suite, a stand-in
// shows its own values.
func TestNoDifferencesWithoutTheirBase(t *testing.T) {
	table := standInTable(t, tgnHead)
	if v := table.Blocks[0][0][1].Value; v == nil || v.Signed || v.Mean < 50 {
		t.Errorf("TGN-ID: %+v", v)
	}
	if i := slices.IndexFunc(table.Columns, func(c results.Column) bool { return strings.Contains(c.Head, "Δ") }); i >= 0 {
		t.Errorf("a column %q", table.Columns[i].Head)
	}
	legend := strings.Join(table.Legend, "; ")
	if strings.Contains(legend, "Δ") || !strings.Contains(legend, "events resampled 1000 times") {
		t.Errorf("legend %q", legend)
	}
}
