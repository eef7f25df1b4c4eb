package metrics_test

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"dgsbench/internal/fixture"
	"dgsbench/metrics"
)

// tolerance is below the 12 digits that the fixture gives.
const tolerance = 1e-10

// metricFixture is testdata/ranking.json: values from NumPy and scikit-learn.
type metricFixture struct {
	Ranking struct {
		Rows []struct {
			Name                                         string
			Logits                                       []float32
			Positive                                     int
			Optimistic, Pessimistic, Average, Reciprocal float64
			Recall                                       map[string]float64
		}
		MRR    float64
		Recall map[string]float64
	}
	AUC struct {
		Rows []struct {
			Name                 string
			Score                []float32
			Label                []int8
			Positives, Negatives int
			AUC                  float64
			AveragePrecision     float64 `json:"average_precision"`
			DeLong               float64 `json:"delong_se"`
		}
	}
}

func readFixture(t *testing.T) metricFixture {
	t.Helper()
	var f metricFixture
	fixture.Read(t, "ranking.json", &f)
	if len(f.Ranking.Rows) == 0 || len(f.AUC.Rows) == 0 {
		t.Fatal("the fixture has no rows")
	}
	return f
}

// count is what a model reports about one row.
func count(logits []float32, positive int) (greater, equal int32) {
	for i, x := range logits {
		switch {
		case i == positive:
		case x > logits[positive]:
			greater++
		case x == logits[positive]:
			equal++
		}
	}
	return greater, equal
}

func value(t *testing.T, name string, f metrics.Facts) float64 {
	t.Helper()
	m, err := metrics.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.Value(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: got %.12g, want %.12g", what, got, want)
	}
}

func TestRankingFixture(t *testing.T) {
	f := readFixture(t).Ranking
	var all metrics.Facts
	for _, row := range f.Rows {
		greater, equal := count(row.Logits, row.Positive)
		near(t, row.Name+": optimistic", 1+float64(greater), row.Optimistic)
		near(t, row.Name+": pessimistic", 1+float64(greater+equal), row.Pessimistic)
		near(t, row.Name+": average", metrics.Rank(greater, equal), row.Average)
		one := metrics.Facts{Greater: []int32{greater}, Equal: []int32{equal}}
		near(t, row.Name+": reciprocal", value(t, "mrr", one), row.Reciprocal)
		near(t, row.Name+": recall@10", value(t, "recall@10", one), row.Recall["at_10"])
		all.Greater, all.Equal = append(all.Greater, greater), append(all.Equal, equal)
	}
	near(t, "mrr", value(t, "mrr", all), f.MRR)
	near(t, "recall@10", value(t, "recall@10", all), f.Recall["at_10"])
	for at, want := range f.Recall {
		var k float64
		if _, err := fmt.Sscanf(strings.TrimPrefix(at, "at_"), "%g", &k); err != nil {
			t.Fatal(err)
		}
		near(t, "recall "+at, metrics.RecallAt(k, all), want)
	}
}

func TestAUCFixture(t *testing.T) {
	for _, row := range readFixture(t).AUC.Rows {
		f := metrics.Facts{Score: row.Score, Label: row.Label}
		if f.Positives() != row.Positives || f.Negatives() != row.Negatives {
			t.Errorf("%s: %d + %d events, want %d + %d", row.Name, f.Positives(), f.Negatives(), row.Positives, row.Negatives)
		}
		near(t, row.Name+": auc", value(t, "auc", f), row.AUC)
		near(t, row.Name+": ap", value(t, "ap", f), row.AveragePrecision)
		near(t, row.Name+": DeLong", deLong(f), row.DeLong)
	}
}

// deLong returns the standard error of the AUC by its definition (DeLong, DeLong
// and Clarke-Pearson, Biometrics 44, 1988): from the spread, over the events of a
// class, of the share of the other class that scores below the event.
func deLong(f metrics.Facts) float64 {
	var scores [2][]float32
	for k, label := range f.Label {
		if label >= 0 {
			scores[label] = append(scores[label], f.Score[k])
		}
	}
	variance := 0.0
	for class, own := range scores {
		other := scores[1-class]
		shares := make([]float64, len(own))
		for i, x := range own {
			for _, y := range other { // an equal score counts half
				shares[i] += (1 + float64(cmp.Compare(x, y))) / 2 / float64(len(other))
			}
		}
		variance += stat.Variance(shares, nil) / float64(len(own))
	}
	return math.Sqrt(variance)
}
