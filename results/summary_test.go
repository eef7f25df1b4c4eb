package results_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/specs"

	"pgregory.net/rapid"
)

// shifted returns the facts of a model whose positives score that much higher.
func shifted(seed uint64, shift float32) record.Observed {
	o := random(seed)
	for part, f := range o {
		f.Score = slices.Clone(f.Score)
		for k, label := range f.Label {
			f.Score[k] += (shift - 0.3) * float32(label)
		}
		o[part] = f
	}
	return o
}

// summaryOf returns the summary of node classification by models whose positives
// score that much higher than negatives, each with three seeds.
func summaryOf(t *testing.T, rule, column float32, learned map[string]float32, change func(*record.Record), timed ...results.LatencyTest) results.Summary {
	t.Helper()
	s := record.Store{Dir: t.TempDir()}
	layout := results.Layout{Datasets: []results.DatasetHead{mooc}, Settings: []protocol.Setting{""}}
	add := func(model string, class protocol.Class, shift float32, seeds uint64) {
		layout.Models = append(layout.Models, results.ModelHead{ID: model, Title: strings.ToUpper(model), Class: class})
		for seed := range seeds {
			r := recordtest.Trial("nc", "", model, seed)
			r.ModelTitle, r.ModelClass, r.NumParams = strings.ToUpper(model), class, 1000*len(model)
			r.Epochs, r.BestEpoch = nil, -1
			if class == protocol.SingleColumn {
				r.Chosen = "minus amount"
			}
			if change != nil {
				change(&r)
			}
			if r.Failed() {
				recordtest.Write(t, s, r, record.Observed{})
			} else {
				recordtest.Write(t, s, r, shifted(seed, shift))
			}
		}
	}
	for _, model := range slices.Sorted(maps.Keys(learned)) {
		add(model, protocol.Learned, learned[model], 3)
	}
	add("a-rule", protocol.ZeroParameter, rule, 1)
	add("a-column", protocol.SingleColumn, column, 1)
	in := results.Input{Command: "bench all --suite made-up", Classification: layout, Cells: aggregate(t, s), Timed: timed}
	in.Records, _, _ = s.Load("")
	out, err := results.Make(in, specs.Tables{Show: []specs.Table{{ID: "nc"}}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Summary
}

// TestSummary: who is best, who cannot be told apart, what is the cheapest of
// these, and what is beaten.
func TestSummary(t *testing.T) {
	near := map[string]float32{"dgs": .6, "tgn": .599, "raw": 0}
	failed := func(r *record.Record) {
		if r.Key.Model == "tgn" && r.Key.Seed == 0 {
			r.Error = "no memory"
		}
		if r.Key.Model == "raw" {
			r.Spec = json.RawMessage(strings.Replace(string(r.Spec), `{`, `{"protocol": {"epochs": 2}, `, 1))
			r.Epochs, r.BestEpoch = []record.Epoch{{Validation: .5}, {Validation: .6}}, 1
		}
	}
	for name, c := range map[string]struct {
		rule, column float32
		learned      map[string]float32
		change       func(*record.Record)
		want         []string // parts of the sentences, in their order
	}{
		"learned": {.1, .05, near, nil, []string{
			"Node classification, MOOC: DGS is best: AUC 93", "; not told apart from it: TGN (93", ").",
			"It beats the best rule, A-RULE (5", "), and the best single column, minus amount (5", "; the smallest of these is DGS: 3,000 parameters.",
		}},
		"rule": {.9, .6, near, nil, []string{
			"A-RULE, a rule, is best: AUC 9", "; the best learned model is DGS (93", "It is not told apart from the best single column, minus amount (9",
		}},
		"column": {.6, .8, map[string]float32{"dgs": .1, "raw": 0}, nil, []string{"minus amount, a single column, is best: AUC 9", "It is worse than the best rule, A-RULE (9"}},
		"failed": {.1, .1, near, failed, []string{
			"Failed: MOOC: TGN, 1 of 3 seeds (no memory).",
			"Undertrained (the validation metric still improved in the last epoch): MOOC: RAW (3 of 3 seeds); run the same command with --epochs 4.",
		}},
	} {
		got := strings.Join(summaryOf(t, c.rule, c.column, c.learned, c.change).Sentences(), "\n")
		rest := got
		for _, part := range c.want {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Errorf("%s: expected %q in the rest of\n%s", name, part, got)
			}
			rest = after
		}
	}
}

// TestFastestForm: a model that is faster when deployed counts as that.
func TestFastestForm(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	test := func(model, variant string, ms int64) results.LatencyTest {
		return readTimes(t, s, timedRecord(t, s, mooc, results.ModelHead{ID: model, Variant: variant}, ms))[0]
	}
	dgs, tgn, deployed := test("dgs", "", 5), test("tgn", "", 7), test("tgn", "deployed", 3)
	near := map[string]float32{"dgs": .6, "tgn": .599}
	for want, timed := range map[string][]results.LatencyTest{
		"the fastest of these is DGS: ":                          {dgs, tgn},
		"the fastest of these is TGN, deployed: ":                {dgs, tgn, deployed},
		"the fastest of those that were timed is DGS: ":          {dgs},
		"the fastest of those that were timed is TGN, deployed:": {deployed},
	} {
		if got := strings.Join(summaryOf(t, .1, .05, near, nil, timed...).Sentences(), "\n"); !strings.Contains(got, want) {
			t.Errorf("expected %q in\n%s", want, got)
		}
	}
}

// TestSummaryLines: a summary of any size has at most 15 lines within the width,
// and says that something is left out.
func TestSummaryLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,12}`), 1, 60).Draw(t, "words"), " ")
		})
		s := results.Summary{Remarks: rapid.SliceOfN(words, 0, 3).Draw(t, "remarks")}
		for range rapid.IntRange(0, 20).Draw(t, "places") {
			s.Answers = append(s.Answers, results.Answer{Best: words.Draw(t, "best"), Details: rapid.SliceOfN(words, 0, 2).Draw(t, "details")})
		}
		width := rapid.IntRange(80, 200).Draw(t, "width")
		lines := s.Lines(width)
		if len(lines) > 15 {
			t.Fatalf("%d lines", len(lines))
		}
		for _, line := range lines {
			if len([]rune(line)) > width {
				t.Fatalf("%d columns: %s", len(line), line)
			}
		}
		count := func(texts []string) int { return len(strings.Fields(strings.Join(texts, " "))) }
		if all := count(s.Sentences()); count(lines) < all && !strings.Contains(lines[len(lines)-1], "see the tables") {
			t.Fatalf("%d of %d words, and nothing said:\n%s", count(lines), all, strings.Join(lines, "\n"))
		}
	})
}
