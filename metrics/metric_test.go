package metrics_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"dgsbench/metrics"
	"dgsbench/protocol"
)

// scored draws classification facts with both classes. Scores come from a
// coarse grid, so most of them tie, also zeros of different sign.
func scored(t *rapid.T) metrics.Facts {
	n := rapid.IntRange(2, 60).Draw(t, "events")
	f := metrics.Facts{Score: make([]float32, n), Label: make([]int8, n)}
	for k := range n {
		f.Score[k] = float32(rapid.IntRange(-8, 8).Draw(t, "score")) * rapid.SampledFrom([]float32{.25, -.25}).Draw(t, "quarter")
		f.Label[k] = int8(rapid.IntRange(-1, 1).Draw(t, "label"))
	}
	f.Label[0], f.Label[n-1] = 0, 1
	f.LogOdds = true
	for k := range n {
		if k == 0 || rapid.IntRange(0, 9).Draw(t, "day") == 0 {
			f.Days = append(f.Days, int32(k))
		}
	}
	return f
}

func ranked(t *rapid.T) metrics.Facts {
	n := rapid.IntRange(1, 60).Draw(t, "events")
	f := metrics.Facts{Greater: make([]int32, n), Equal: make([]int32, n)}
	for k := range n {
		f.Greater[k] = rapid.Int32Range(0, 15).Draw(t, "greater")
		f.Equal[k] = rapid.Int32Range(0, 6).Draw(t, "equal")
	}
	return f
}

// pick is the facts of the given events, in the given order.
func pick(f metrics.Facts, events []int) metrics.Facts {
	var out metrics.Facts
	for _, k := range events {
		if f.Score == nil {
			out.Greater, out.Equal = append(out.Greater, f.Greater[k]), append(out.Equal, f.Equal[k])
		} else {
			out.Score, out.Label = append(out.Score, f.Score[k]), append(out.Label, f.Label[k])
		}
	}
	out.LogOdds = f.LogOdds
	if slices.IsSorted(events) {
		for _, first := range f.Days {
			begin, _ := slices.BinarySearch(events, int(first))
			out.Days = append(out.Days, int32(begin))
		}
	}
	return out
}

func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12
}

// named are metrics of every family.
var named = []string{
	"recall@3", "recall@2.5%fpr", "recall@40%fpr", "precision@30%recall", "precision@100%recall", "precision@2/day", "precision@50/day", "brier",
	"auc@day1-1", "auc@day2-3", "predicted@2/3", "observed@1/3",
}

// lookup finds metrics.
func lookup(t interface {
	Helper()
	Fatal(...any)
}, names ...string) (out []metrics.Metric) {
	t.Helper()
	for _, name := range names {
		m, err := metrics.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// eachMetric checks a property of every metric on drawn facts of its task.
func eachMetric(t *testing.T, property func(*rapid.T, metrics.Metric, metrics.Facts)) {
	for task, facts := range map[protocol.Task]func(*rapid.T) metrics.Facts{
		protocol.NodeClassification: scored, protocol.LinkPrediction: ranked,
	} {
		for _, m := range append(metrics.Of(task), lookup(t, named...)...) {
			if m.Task == task {
				t.Run(m.Name, rapid.MakeCheck(func(t *rapid.T) { property(t, m, facts(t)) }))
			}
		}
	}
}

func TestAUCAgreesWithGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := scored(t)
		events := slices.DeleteFunc(allEvents(f), func(k int) bool { return f.Label[k] < 0 })
		slices.SortStableFunc(events, func(a, b int) int { return int(4 * (f.Score[a] - f.Score[b])) })
		var y []float64
		var classes []bool
		for _, k := range events {
			y, classes = append(y, float64(f.Score[k])), append(classes, f.Label[k] == 1)
		}
		tpr, fpr, _ := stat.ROC(nil, y, classes, nil)
		want := integrate.Trapezoidal(fpr, tpr)
		m, _ := metrics.Lookup("auc")
		if got, err := m.Value(f); err != nil || !same(got, want) {
			t.Fatalf("got %v (%v), gonum %v", got, err, want)
		}
	})
}

func allEvents(f metrics.Facts) []int {
	events := make([]int, f.Len())
	for k := range events {
		events[k] = k
	}
	return events
}

// TestWeightsOfManyEvents: more than are summed at once.
func TestWeightsOfManyEvents(t *testing.T) {
	f, weights := randomScores(3_000, 10, 1), make([]uint8, 3_000)
	metrics.Draw(1, weights)
	var events []int
	for k, w := range weights {
		events = append(events, slices.Repeat([]int{k}, int(w))...)
	}
	for _, name := range []string{"auc", "ap", "recall@1%fpr", "precision@50%recall"} {
		m, err := metrics.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := m.Prepare(f)(weights), m.Prepare(pick(f, events))(nil); !same(got, want) {
			t.Errorf("%s: weighted %v, repeated %v", name, got, want)
		}
	}
}

func TestWeightsRepeatEvents(t *testing.T) {
	eachMetric(t, func(t *rapid.T, m metrics.Metric, f metrics.Facts) {
		if strings.Contains(m.Name, "/3") {
			return // groups are those of all events
		}
		weights := rapid.SliceOfN(rapid.Uint8Range(0, 3), f.Len(), f.Len()).Draw(t, "weights")
		var events []int
		for k, w := range weights {
			for range w {
				events = append(events, k)
			}
		}
		got, want := m.Prepare(f)(weights), m.Prepare(pick(f, events))(nil)
		if !same(got, want) {
			t.Fatalf("weighted %v, repeated %v", got, want)
		}
	})
}

func TestOrderOfEventsDoesNotMatter(t *testing.T) {
	eachMetric(t, func(t *rapid.T, m metrics.Metric, f metrics.Facts) {
		if strings.Contains(m.Name, "day") {
			return // but for that of days
		}
		events := rapid.Permutation(allEvents(f)).Draw(t, "order")
		if got, want := m.Prepare(pick(f, events))(nil), m.Prepare(f)(nil); !same(got, want) {
			t.Fatalf("permuted %v, in order %v", got, want)
		}
	})
}

func TestOnlyTheOrderOfScoresMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := scored(t)
		g := metrics.Facts{Label: f.Label, Days: f.Days, LogOdds: true}
		for _, s := range f.Score {
			g.Score = append(g.Score, s*s*s+100*s-7)
		}
		for _, m := range append(metrics.Of(protocol.NodeClassification), lookup(t, named...)...) {
			if m.Task == protocol.LinkPrediction || m.Name == "brier" || m.Name == "predicted@2/3" {
				continue
			}
			if got, want := m.Prepare(g)(nil), m.Prepare(f)(nil); got != want && !same(got, want) {
				t.Fatalf("%s: transformed %v, plain %v", m.Name, got, want)
			}
		}
	})
}

func TestUndefined(t *testing.T) {
	for name, f := range map[string]metrics.Facts{
		"no events":    {},
		"no positives": {Score: []float32{1, 2}, Label: []int8{0, 0}},
		"no negatives": {Score: []float32{1, 2}, Label: []int8{1, -1}},
		"no labels":    {Score: []float32{1, 2}, Label: []int8{-1, -1}},
	} {
		for _, m := range []string{"auc", "ap"} {
			metric, _ := metrics.Lookup(m)
			if v, err := metric.Value(f); !errors.Is(err, metrics.ErrUndefined) || !math.IsNaN(v) {
				t.Errorf("%s of %s: %v, %v; want ErrUndefined", m, name, v, err)
			}
		}
	}
	mrr, _ := metrics.Lookup("mrr")
	if _, err := mrr.Value(metrics.Facts{}); !errors.Is(err, metrics.ErrUndefined) {
		t.Errorf("mrr of no events: %v; want ErrUndefined", err)
	}
}

func TestLookupNamesWhatThereIs(t *testing.T) {
	_, err := metrics.Lookup("accuracy")
	for _, task := range []protocol.Task{protocol.LinkPrediction, protocol.NodeClassification} {
		for _, m := range metrics.Of(task) {
			if err == nil || !strings.Contains(err.Error(), m.Name) {
				t.Errorf("got %v, which does not name %s", err, m.Name)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name  string
		facts metrics.Facts
		want  string // "" for fine
	}{
		{"ranking", metrics.Facts{Greater: []int32{0}, Equal: []int32{3}}, ""},
		{"classification", metrics.Facts{Score: []float32{0}, Label: []int8{-1}}, ""},
		{"nothing", metrics.Facts{}, ""},
		{"both", metrics.Facts{Greater: []int32{0}, Equal: []int32{3}, Score: []float32{0}, Label: []int8{1}}, "counts and scores"},
		{"lengths", metrics.Facts{Greater: []int32{0}}, "1, 0 counts"},
		{"negative", metrics.Facts{Greater: []int32{0, 0}, Equal: []int32{3, -1}}, "entry 1"},
		{"infinite", metrics.Facts{Score: []float32{inf}, Label: []int8{1}}, "finite"},
		{"class", metrics.Facts{Score: []float32{1}, Label: []int8{2}}, "label 2"},
	} {
		err := c.facts.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
