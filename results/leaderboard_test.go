package results_test

import (
	"slices"
	"testing"

	"dgsbench/protocol"
	"dgsbench/results"
)

var decayHead = results.ModelHead{ID: "recency-decay", Title: "Recency and decayed popularity", Class: protocol.ZeroParameter}

// boardInput has values of two evaluations on the leaderboard's events, and on others.
func boardInput() results.Input {
	in := results.Input{Subtitle: "board: made up", Command: "bench all --suite board", Source: "specs/board.yaml; 8 records of code version 0123456789ab"}
	in.Links.Models = []results.ModelHead{bankHead, windowHead, decayHead, tgnHead, attnHead}
	in.Links.Settings, in.Links.Candidates = []protocol.Setting{"T"}, []protocol.CandidateSet{protocol.Destinations}
	for i, name := range []string{"evaluation-200", "evaluation-1"} {
		for _, d := range []string{"wikipedia-nofeat", "shop-sim"} {
			in.Links.Datasets = append(in.Links.Datasets, results.DatasetHead{ID: d, Title: d + ", " + name, Case: name})
			for k, m := range in.Links.Models {
				c := lp(d, "T", m.ID, 0.5+0.05*float64(i)+0.01*float64(k), 0.0123, 5)
				c.Case, c.Variant, c.Class = name, m.Variant, m.Class
				in.Cells = append(in.Cells, c)
			}
		}
	}
	return in
}

// TestLeaderboard: a row for every published method and every one of ours, and one
// for both where they are the same.
func TestLeaderboard(t *testing.T) {
	in := boardInput()
	made := makeTables(t, in, "tgb").Tables[0]
	compareLayouts(t, "tgb", made)
	published := 0
	for _, row := range slices.Concat(made.Blocks...) {
		if row[3].Value != nil {
			published++
		}
		if ours := row[1].Value != nil; ours != (row[2].Value != nil) || !ours && row[3].Value == nil {
			t.Errorf("%s: %+v", row[0].Text, row)
		}
	}
	if published != 11 || len(slices.Concat(made.Blocks...)) != 11+2 {
		t.Errorf("%d published values in %d rows, expected 11 in 13", published, len(slices.Concat(made.Blocks...)))
	}
	in.Links.Datasets = slices.DeleteFunc(in.Links.Datasets, func(d results.DatasetHead) bool { return d.ID != "shop-sim" })
	if out := makeTables(t, in, "tgb"); len(out.Tables) > 0 {
		t.Errorf("other events stand beside the leaderboard: %+v", out.Tables)
	}
}
