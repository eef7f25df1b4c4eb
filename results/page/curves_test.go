package page

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/internal/optional"
	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/record"
)

// TestLongCurves: of many seeds and epochs not all are drawn, the last epoch is,
// numbers are of all, and the page says so.
func TestLongCurves(t *testing.T) {
	var records []record.Record
	for seed := range 60 {
		r := trial("a", seed, `{"seed":0}`)
		r.Epochs = nil
		for e := range 1001 {
			r.Epochs = append(r.Epochs, record.Epoch{Loss: optional.Number(seed), Validation: optional.Number(float64(e) / 2000)})
		}
		records = append(records, r)
	}
	page := written(t, Page{Folders: []Folder{{Report: results.Report{Records: records}}}})
	for _, want := range []string{
		"Of 1001 epochs, one in 11 is drawn, and the last.", "Of up to 60 seeds, the first 30 are drawn; means, dots and numbers are of all.",
		"60 seeds: loss from 29.5 to 29.5 in 1001 epochs; validation AUC % from 0 to 50, best 50 at epoch 1001.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	if len(page) > 200_000 {
		t.Errorf("%d bytes for a single model", len(page))
	}
	short := written(t, Page{Folders: []Folder{{Report: results.Report{Records: []record.Record{trial("a", 0, `{"seed":0}`)}}}}})
	if strings.Contains(short, "is drawn") || strings.Contains(short, "are drawn") {
		t.Error("two epochs are said to be thinned")
	}
}

// TestThin keeps the first and the last epoch, and order.
func TestThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epochs := rapid.IntRange(1, 2000).Draw(t, "epochs")
		line := make([]figure.Point, rapid.IntRange(1, epochs).Draw(t, "of this seed"))
		for i := range line {
			line[i] = figure.At(float64(i+1), 0)
		}
		got := thin(line, stepOf(epochs))
		if len(got) > maxEpochs+1 || got[0] != line[0] || got[len(got)-1] != line[len(line)-1] {
			t.Fatalf("%d points, from %v to %v", len(got), got[0], got[len(got)-1])
		}
		for i := 1; i < len(got); i++ {
			if got[i].X.Mean <= got[i-1].X.Mean {
				t.Fatalf("epoch %g after %g", got[i].X.Mean, got[i-1].X.Mean)
			}
		}
	})
}

// TestWithoutOutliers: a first epoch far from the others does not stretch an axis,
// and everything is drawn where leaving it out would not help.
func TestWithoutOutliers(t *testing.T) {
	rising := []float64{50, 79, 79.5, 80, 80.2, 80.1, 80.3, 80.2, math.NaN()}
	if low, high := withoutOutliers(rising); low < 70 || low > 79 || high < 80.3 || high > 82 {
		t.Errorf("an axis from %g to %g for a validation from 79 on after a first epoch of 50", low, high)
	}
	even := []float64{50, 55, 60, 65, 70, 75, 80}
	if low, high := withoutOutliers(even); low > 50 || high < 80 {
		t.Errorf("an axis from %g to %g for values from 50 to 80", low, high)
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 1, 50).Draw(t, "values")
		slices.Sort(values)
		low, high := withoutOutliers(slices.Clone(values))
		inside := 0
		for _, v := range values {
			if low <= v && v <= high {
				inside++
			}
		}
		if low >= high || 2*inside < len(values) {
			t.Fatalf("%d of %d values from %g to %g", inside, len(values), low, high)
		}
	})
}
