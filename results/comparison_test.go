package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
	"dgsbench/results/table"
	"dgsbench/specs"
)

const numScored = 300

// scored is what a seed of a model observes on numScored events whose difficulty
// is the same for all: skill is how far positives score above negatives.
func scored(stream uint64, skill float64) record.Observed {
	events, own := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(2, stream))
	f := metrics.Facts{Score: make([]float32, numScored), Label: make([]int8, numScored)}
	for k := range f.Score {
		f.Label[k] = int8(k % 4 / 3)
		f.Score[k] = float32(skill*float64(f.Label[k]) + events.NormFloat64() + 0.3*own.NormFloat64())
	}
	return record.Observed{{Split: protocol.Test}: f}
}

// planted writes the seeds of a model. Every model has a specification of
// its own.
type planted struct {
	dataset, model string
	class          protocol.Class
	seeds          int
	skill          float64
	change         func(*record.Record, record.Observed)
}

func (p planted) write(t *testing.T, s record.Store) {
	t.Helper()
	for seed := range uint64(p.seeds) {
		r := recordtest.Trial("nc", "", p.model, seed)
		r.Key.Dataset, r.ModelClass, r.ModelTitle = p.dataset, p.class, "The "+p.model
		r.Spec = json.RawMessage(fmt.Sprintf(`{"kind": %q, "model": %q, "seed": %d}`, p.model, p.model, seed))
		o := scored(seed+100*uint64(len(p.model))+10_000*uint64(len(p.dataset)), p.skill)
		if p.change != nil {
			p.change(&r, o)
		}
		recordtest.Write(t, s, r, o)
	}
}

// suite measures, on one dataset, two equally good models, one that is worse,
// two rules and an oracle.
func suite(dataset string) []planted {
	return []planted{
		{dataset, "a", protocol.Learned, 4, 1, nil},
		{dataset, "bb", protocol.Learned, 4, 1, nil},
		{dataset, "ccc", protocol.Learned, 4, 0.3, nil},
		{dataset, "rule", protocol.ZeroParameter, 1, 0.3, nil},
		{dataset, "rules", protocol.ZeroParameter, 1, 0.5, nil},
		{dataset, "oracle", protocol.Oracle, 1, 3, nil},
	}
}

func measured(t *testing.T, all ...planted) []results.Cell {
	t.Helper()
	s := record.Store{Dir: t.TempDir()}
	for _, p := range all {
		p.write(t, s)
	}
	return aggregate(t, s)
}

// moocAnd measures the suite on mooc and what a test adds.
func moocAnd(t *testing.T, more ...planted) []results.Cell {
	t.Helper()
	return measured(t, append(suite("mooc"), more...)...)
}

// pairOf finds the comparison of two models, whichever is the better.
func pairOf(t *testing.T, all []results.Comparison, dataset, a, b string) results.Comparison {
	t.Helper()
	for _, c := range all {
		if c.Dataset == dataset && (c.Better.Model == a && c.Other.Model == b || c.Better.Model == b && c.Other.Model == a) {
			return c
		}
	}
	t.Fatalf("%s and %s are not compared on %s", a, b, dataset)
	return results.Comparison{}
}

// pairs is the number of comparisons on a dataset: of ten pairs of five
// models, the one of the two rules is not asked for.
const pairs = 9

func TestComparisonsFindWhatDiffers(t *testing.T) {
	all := results.Comparisons(moocAnd(t))
	if len(all) != pairs {
		t.Errorf("%d comparisons, want %d", len(all), pairs)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a", "bb", false}, {"a", "ccc", true}, {"bb", "ccc", true}, {"a", "rule", true}, {"ccc", "rule", false},
	} {
		pair := pairOf(t, all, "mooc", c.a, c.b)
		if pair.Significant() != c.want {
			t.Errorf("told apart %v, want %v: %+v", pair.Significant(), c.want, pair)
		}
		if pair.Better.Mean < pair.Other.Mean || math.Abs(float64(pair.Better.Mean-pair.Other.Mean-pair.Difference)) > 1e-12 ||
			pair.CILow > pair.Difference || pair.CIHigh < pair.Difference {
			t.Errorf("%+v", pair)
		}
	}
	if pair := pairOf(t, all, "mooc", "a", "rule"); pair.Better.Model != "a" || pair.Better.N != 4 || pair.Other.N != 1 || pair.Metric != "auc" {
		t.Errorf("%+v", pair)
	}
}

// The p-values of all datasets of a task are adjusted together.
func TestComparisonsAreAdjustedOverTheTable(t *testing.T) {
	all := results.Comparisons(measured(t, append(suite("mooc"), suite("amlsim-20k")...)...))
	if len(all) != 2*pairs {
		t.Errorf("%d comparisons, want %d", len(all), 2*pairs)
	}
	var p []float64
	for _, c := range all {
		p = append(p, float64(c.P))
	}
	for i, want := range metrics.Holm(p) {
		if float64(all[i].Adjusted) != want {
			t.Errorf("%+v: want %v", all[i], want)
		}
	}
}

// Models are compared on the same events of the same data, or not at all.
func TestOnlyTheSameEventsAreCompared(t *testing.T) {
	for name, change := range map[string]func(*record.Record, record.Observed){
		"other data": func(r *record.Record, _ record.Observed) { r.DataChecksum = "beef" },
		"other events": func(_ *record.Record, o record.Observed) {
			f := o[record.Part{Split: protocol.Test}]
			o[record.Part{Split: protocol.Test}] = metrics.Facts{Score: f.Score[1:], Label: f.Label[1:]}
		},
		"other labels": func(_ *record.Record, o record.Observed) {
			f := o[record.Part{Split: protocol.Test}]
			f.Label[0], f.Label[3] = f.Label[3], f.Label[0]
		},
	} {
		all := results.Comparisons(moocAnd(t, planted{"mooc", "other", protocol.Learned, 4, 1, change}))
		for _, c := range all {
			if c.Better.Model == "other" || c.Other.Model == "other" {
				t.Errorf("%s: compared all the same: %+v", name, c)
			}
		}
		if len(all) != pairs {
			t.Errorf("%s: %d comparisons, want %d", name, len(all), pairs)
		}
	}
}

// One seed of a model with something to learn says nothing about others.
func TestSingleSeedIsNotTested(t *testing.T) {
	all := results.Comparisons(moocAnd(t, planted{"mooc", "single", protocol.Learned, 1, 3, nil}))
	pair := pairOf(t, all, "mooc", "single", "ccc")
	if pair.P.Present() || pair.Adjusted.Present() || pair.CILow.Present() || pair.Significant() || !pair.Difference.Present() {
		t.Errorf("%+v", pair)
	}
	if other := pairOf(t, all, "mooc", "a", "ccc"); !other.Adjusted.Present() {
		t.Errorf("others lose their p-value: %+v", other)
	}
}

// ncTable is the table of node classification.
func ncTable(t *testing.T, cells []results.Cell, l results.Layout) table.Table {
	t.Helper()
	out, err := results.Make(results.Input{Cells: cells, Classification: l}, specs.Tables{Show: []specs.Table{{ID: "nc"}}})
	if err != nil || len(out.Tables) != 1 {
		t.Fatalf("%d tables, %v", len(out.Tables), err)
	}
	return out.Tables[0]
}

func TestTablesMarkWhatIsLevelWithTheBest(t *testing.T) {
	head := func(id string, class protocol.Class) results.ModelHead {
		return results.ModelHead{ID: id, Title: "The " + id, Class: class}
	}
	made := ncTable(t, moocAnd(t, planted{"mooc", "single", protocol.Learned, 1, 0.2, nil}), results.Layout{
		Models: []results.ModelHead{
			head("a", protocol.Learned), head("bb", protocol.Learned), head("ccc", protocol.Learned), head("single", protocol.Learned),
			head("rule", protocol.ZeroParameter),
		},
		Datasets: []results.DatasetHead{mooc},
	})
	var out bytes.Buffer
	if err := table.WriteText(&out, table.Screen{Width: 120}, made); err != nil {
		t.Fatal(err)
	}
	signs := map[string]int{"The a": 0, "The bb": 0, "The ccc": 0, "The single": 1, "The rule": 0}
	for _, line := range strings.Split(out.String(), "\n") {
		for title := range signs {
			if strings.HasPrefix(strings.TrimSpace(line), title) {
				signs[title] -= strings.Count(line, "≈")
			}
		}
	}
	// Either of the two equally good ones may be the best.
	if signs["The a"]+signs["The bb"] != -1 || signs["The ccc"] != 0 || signs["The single"] != 0 || signs["The rule"] != 0 {
		t.Errorf("signs %v in\n%s", signs, &out)
	}
	if !strings.Contains(strings.Join(made.Legend, "; "), "≈: not told apart from the best of the learned models by AUC") ||
		!strings.Contains(strings.Join(made.Legend, "; "), "after Holm over all pairs of the suite's task") {
		t.Errorf("legend %q", made.Legend)
	}
}

func TestWriteComparisons(t *testing.T) {
	all := results.Comparisons(moocAnd(t, planted{"mooc", "single", protocol.Learned, 1, 3, nil}))
	var out bytes.Buffer
	if err := results.WriteComparisons(&out, all); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(lines) != len(all)+1 {
		t.Fatalf("%d lines for %d comparisons, %v", len(lines), len(all), err)
	}
	for i, c := range all {
		line := map[string]string{}
		for k, name := range lines[0] {
			line[name] = lines[i+1][k]
		}
		if line["dataset"] != c.Dataset || line["better"] != c.Better.Model || line["other"] != c.Other.Model ||
			(line["p_adjusted"] != "") != c.Adjusted.Present() || line["other_n"] != fmt.Sprint(c.Other.N) {
			t.Errorf("%v of %+v", line, c)
		}
	}
}
