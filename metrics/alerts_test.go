package metrics_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/internal/fixture"
	"dgsbench/metrics"
)

// TestAlertsFixture: recall at a rate of false positives, precision at a recall
// and by day, Brier, AUC by day and calibration as scikit-learn has them.
func TestAlertsFixture(t *testing.T) {
	var f struct {
		Rows []struct {
			Name            string
			Score           []float32
			Label           []int8
			Time            []float64
			RecallFPR       map[string]float64 `json:"recall_fpr"`
			PrecisionRecall map[string]float64 `json:"precision_recall"`
			Daily           map[string]float64
			Brier           float64
			AUCDay          []*float64 `json:"auc_day"`
			Calibration     struct{ Observed, Predicted []float64 }
		}
	}
	fixture.Read(t, "alerts.json", &f)
	compared := map[string]int{}
	for _, row := range f.Rows {
		f := metrics.Facts{Score: row.Score, Label: row.Label, Days: metrics.DaysOf(row.Time, row.Time), LogOdds: true}
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
		f = f.Sorted() // the same as without, as other tests are
		check := func(metric string, want float64) {
			near(t, row.Name+": "+metric, value(t, metric, f), want)
			compared[strings.Trim(metric, "0123456789.-/")]++
		}
		for rate, want := range row.RecallFPR {
			check("recall@"+rate+"%fpr", want)
		}
		for rate, want := range row.PrecisionRecall {
			check("precision@"+rate+"%recall", want)
		}
		for k, want := range row.Daily {
			check("precision@"+k+"/day", want)
		}
		check("brier", row.Brier)
		for d, want := range row.AUCDay {
			day := metrics.Name("auc@day", d+1, "-", d+1)
			if want != nil {
				check(day, *want)
			} else if _, err := lookup(t, day)[0].Value(f); !errors.Is(err, metrics.ErrUndefined) {
				t.Errorf("%s: %s: %v", row.Name, day, err)
			}
		}
		for i := range row.Calibration.Observed {
			check(metrics.Name("observed@", i+1, "/5"), row.Calibration.Observed[i])
			check(metrics.Name("predicted@", i+1, "/5"), row.Calibration.Predicted[i])
		}
	}
	if len(compared) < 7 {
		t.Errorf("compared only %v", compared)
	}
}

// TestTiesAreInRandomOrder: the precision of a day whose events are level is that
// of the day, the recall at a rate of false positives is the rate.
func TestTiesAreInRandomOrder(t *testing.T) {
	f := metrics.Facts{Score: make([]float32, 10), Label: []int8{1, 0, 0, 0, 0, 0, 0, 1, 0, 1}, Days: []int32{0, 5}}
	near(t, "precision", value(t, "precision@2/day", f), (2*.2+2*.4)/4)
	near(t, "recall", value(t, "recall@20%fpr", f), .2)
	near(t, "precision at recall", value(t, "precision@50%recall", f), .3)
}

// TestAUCIsTheAreaUnderRecall: the recalls at all rates of false positives are the
// ROC whose area is the AUC.
func TestAUCIsTheAreaUnderRecall(t *testing.T) {
	const steps = 20_000
	f := randomScores(60, 4, 3)
	for k := range f.Score {
		f.Score[k] = float32(math.Round(2 * float64(f.Score[k])))
	}
	rates, area := make([]float64, steps), 0.0
	for i := range steps {
		rates[i] = (float64(i) + .5) * 100 / steps
	}
	for _, recall := range metrics.ROC(f, rates) {
		area += recall / steps
	}
	if want := value(t, "auc", f); math.Abs(area-want) > 1e-3 {
		t.Errorf("area %v, AUC %v", area, want)
	}
}

// TestSharesOfEvents: a rate that is a whole number of events counts as such,
// whatever its decimal fraction is in binary.
func TestSharesOfEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(t, "negatives")
		k := rapid.IntRange(0, n-1).Draw(t, "above")
		f := metrics.Facts{Score: make([]float32, n+1), Label: make([]int8, n+1)}
		for i := range n {
			f.Score[i] = float32(n - i)
		}
		f.Label[n], f.Score[n] = 1, float32(n-k)+.5 // below k negatives
		if rate := 100 * float64(k) / float64(n); k > 0 {
			if got, err := lookup(t, metrics.Name("recall@", rate, "%fpr"))[0].Value(f); err != nil || got != 1 {
				t.Fatalf("%v%% of %d: %v, %v", rate, n, got, err)
			}
		}
	})
}

func TestDays(t *testing.T) {
	const day = metrics.Day
	for _, c := range []struct {
		times []float64
		start float64
		want  []int32
	}{
		{nil, 0, nil},
		{[]float64{7}, 7, []int32{0}},
		{[]float64{0, day - 1, day, day + 1, 4 * day}, 0, []int32{0, 2, 4, 4, 4}},
		{[]float64{day + 6, 2*day + 4, 2*day + 5}, 5, []int32{0, 2}}, // days begin at the stream's first event
		{[]float64{0, (metrics.MostDays - 1) * day}, 0, append([]int32{0}, slices.Repeat([]int32{1}, metrics.MostDays-1)...)},
		{[]float64{0, metrics.MostDays * day}, 0, nil},
	} {
		if got := metrics.DaysOf(c.times, []float64{c.start}); !slices.Equal(got, c.want) {
			t.Errorf("%v from %v: %v, expected %v", c.times, c.start, got, c.want)
		}
	}
}

// TestUndefinedReasons: what the facts lack is said.
func TestUndefinedReasons(t *testing.T) {
	f := metrics.Facts{Score: []float32{1, 2, 3}, Label: []int8{0, 1, 0}}
	full := f
	full.Days, full.LogOdds = []int32{0}, true
	for _, m := range lookup(t, "precision@1/day", "auc@day1-1", "brier", "predicted@1/1") {
		want := metrics.ErrNoDays
		if m.Name == "brier" || m.Name == "predicted@1/1" {
			want = metrics.ErrNoLogOdds
		}
		if _, err := m.Value(f); !errors.Is(err, want) {
			t.Errorf("%s: %v, expected %v", m.Name, err, want)
		}
		if _, err := m.Value(full); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if _, err := m.Value(metrics.Facts{Days: full.Days, LogOdds: true}); !errors.Is(err, metrics.ErrUndefined) {
			t.Errorf("%s of no events: %v", m.Name, err)
		}
	}
}

func TestNamesOfFamilies(t *testing.T) {
	for name, want := range map[string]string{
		"recall@1.0%fpr":   `no metric "recall@1.0%fpr" (did you mean "recall@1%fpr"?)`,
		"precision@07/day": `(did you mean "precision@7/day"?)`,
		"precision@0/day":  "recall@K, recall@R%fpr, precision@R%recall, precision@K/day, brier",
		"recall@100%fpr":   "known: mrr, ", "": "known:", "recall@0%fpr": "known:", "recall@1.2.3%fpr": "known:", "auc@day3-2": "known:", "observed@3/2": "known:",
		"precision@" + strings.Repeat("9", 400) + "/day": "known:",
	} {
		if _, err := metrics.Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", name, err, want)
		}
	}
	for _, m := range lookup(t, append(named, "recall@0.1%fpr", "precision@100/day")...) {
		if m.Title == "" || m.Unit != "1" || m.Task == "" || m.HigherIsBetter != (m.Name != "brier" && !strings.Contains(m.Name, "/3")) {
			t.Errorf("%+v", m)
		}
	}
}

// TestLines: a curve at many rates has the values of the metrics at each.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := scored(t)
		rates := []float64{.1, 1, 7.5, 20, 33, 50, 50, 99}
		roc, pr := metrics.ROC(f, rates), metrics.PrecisionRecall(f.Sorted(), rates)
		for i, rate := range rates {
			for name, got := range map[string]float64{metrics.Name("recall@", rate, "%fpr"): roc[i], metrics.Name("precision@", rate, "%recall"): pr[i]} {
				if want, err := lookup(t, name)[0].Value(f); err != nil || got != want {
					t.Fatalf("%s: %v, expected %v (%v)", name, got, want, err)
				}
			}
		}
	})
}
