package latency

import (
	"math"
	"strings"
	"testing"
)

// TestLevelPairs say nothing of either build.
func TestLevelPairs(t *testing.T) {
	for _, c := range []struct {
		slower, faster, level int
		p                     float64
	}{
		{0, 0, 20, 1},
		{3, 1, 16, 5. / 16}, // at least 3 heads of 4
		{0, 4, 16, 1},
		{4, 0, 1, 1. / 16},
	} {
		var v Verdict
		for i := range c.slower + c.faster + c.level {
			took := 1.0
			if i < c.slower {
				took = 2
			} else if i < c.slower+c.faster {
				took = .5
			}
			v.Old, v.New = append(v.Old, 1), append(v.New, took)
		}
		if got := judged(v); math.Abs(got.P-c.p) > 1e-12 {
			t.Errorf("%+v: p %v", c, got.P)
		}
	}
}

// TestVerdict: slower by much and surely, or not at all.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name   string
		pairs  int
		ratio  func(i int) float64
		slower bool
	}{
		{"the same", 20, func(int) float64 { return 1 }, false},
		{"slower by 30 %", 20, func(int) float64 { return 1.3 }, true},
		{"slower by 10 %, surely", 20, func(int) float64 { return 1.1 }, false},
		{"faster by 30 %", 20, func(int) float64 { return .7 }, false},
		{"too few pairs", 19, func(int) float64 { return 1.3 }, false},
		{"slower in 12 of 20 pairs, which is chance", 20, func(i int) float64 {
			if i < 12 {
				return 1.5
			}
			return .6
		}, false},
		{"slower in 17 of 20 pairs", 20, func(i int) float64 {
			if i < 17 {
				return 1.2
			}
			return .5
		}, true},
	} {
		var v Verdict
		for i := range c.pairs {
			old := .01 * float64(1+i%3)
			v.Old, v.New = append(v.Old, old), append(v.New, old*c.ratio(i))
		}
		if v = judged(v); v.Slower != c.slower {
			t.Errorf("%s: ratio %v, p %v, slower: %v", c.name, v.Ratio, v.P, v.Slower)
		}
	}
}

// TestSignTest: the first numbers are powers of two, the others R's
// binom.test(k, n, alternative = "greater").
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		k, n int
		want float64
	}{{0, 0, 1}, {0, 20, 1}, {20, 20, math.Pow(2, -20)}, {1, 1, .5}, {15, 20, 0.02069473}, {16, 20, 0.005908966}, {10, 20, 0.5880985}} {
		if got := signTest(c.k, c.n); math.Abs(got-c.want) > 1e-7 {
			t.Errorf("%d of %d: %v, expected %v", c.k, c.n, got, c.want)
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 3, 2, 1}, 2.5}} {
		if got := Middle(c.values); got != c.want {
			t.Errorf("%v: %v, expected %v", c.values, got, c.want)
		}
	}
}

// TestPairsOfDifferentThings are refused.
func TestPairsOfDifferentThings(t *testing.T) {
	report := func(model string, batch int) Summary {
		return Summary{Models: []ModelSummary{{Dataset: "d", Model: model, Timings: []TimingSummary{{Batch: batch, Batches: 2, Iterations: []float64{1, 2, 3}}}}}}
	}
	verdicts, err := addPair(nil, report("a", 1), report("a", 1))
	if err != nil || len(verdicts) != 1 || verdicts[0].Old[0] != 2 {
		t.Fatalf("%+v, %v", verdicts, err)
	}
	more := report("a", 1)
	more.Models[0].Timings = append(more.Models[0].Timings, TimingSummary{Batch: 7, Batches: 2, Iterations: []float64{5}})
	if got, err := addPair(verdicts, report("a", 1), more); err != nil || len(got) != 1 || len(got[0].New) != 2 {
		t.Errorf("a size that the old build does not know: %+v, %v", got, err)
	}
	if got, err := addPair(nil, more, more); err != nil || len(got) != 2 || got[1].Batch != 7 || got[1].New[0] != 5 {
		t.Errorf("two sizes: %+v, %v", got, err)
	}
	if _, err := addPair(verdicts, more, more); err == nil {
		t.Error("a size that pairs before did not have is accepted")
	}
	two := report("a", 1)
	two.Models = append(two.Models, two.Models[0])
	failed := report("a", 1)
	failed.Models = append(failed.Models, ModelSummary{Dataset: "d", Model: "a", Error: "failed"})
	if _, err := addPair(nil, two, failed); err == nil || !strings.Contains(err.Error(), "measure") {
		t.Errorf("a model that failed beside another is accepted: %v", err)
	}
	for _, other := range []Summary{report("b", 1), report("a", 2), {}} {
		if _, err := addPair(verdicts, report("a", 1), other); err == nil || !strings.Contains(err.Error(), "measure") {
			t.Errorf("%+v is accepted: %v", other, err)
		}
	}
}
