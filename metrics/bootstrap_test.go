package metrics_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"

	"dgsbench/metrics"
)

// randomRanking has reciprocal ranks all over the place.
func randomRanking(events int, seed uint64) metrics.Facts {
	rng := rand.New(rand.NewPCG(seed, 0))
	f := metrics.Facts{Greater: make([]int32, events), Equal: make([]int32, events)}
	for k := range events {
		f.Greater[k], f.Equal[k] = rng.Int32N(40), rng.Int32N(4)
	}
	return f
}

// randomScores has one positive in rarity events, which tends to score
// higher.
func randomScores(events, rarity int, seed uint64) metrics.Facts {
	rng := rand.New(rand.NewPCG(seed, 0))
	f := metrics.Facts{Score: make([]float32, events), Label: make([]int8, events)}
	for k := range events {
		if rng.IntN(rarity) == 0 {
			f.Label[k] = 1
		}
		f.Score[k] = float32(rng.NormFloat64()) + float32(f.Label[k])
	}
	return f
}

func prepared(t testing.TB, metric string, seeds ...metrics.Facts) []metrics.Weighted {
	t.Helper()
	m, err := metrics.Lookup(metric)
	if err != nil {
		t.Fatal(err)
	}
	var out []metrics.Weighted
	for _, f := range seeds {
		out = append(out, m.Prepare(f))
	}
	return out
}

func TestDrawsAreMultinomialAndFixed(t *testing.T) {
	const events = 500
	weights, again := make([]uint8, events), make([]uint8, events)
	sum := make([]float64, events)
	for d := range metrics.NumDraws {
		metrics.Draw(d, weights)
		total := 0
		for k, w := range weights {
			total += int(w)
			sum[k] += float64(w)
		}
		if total != events {
			t.Fatalf("draw %d has %d events, want %d", d, total, events)
		}
		metrics.Draw(d, again)
		if !cmp.Equal(weights, again) {
			t.Fatalf("draw %d is not the same twice", d)
		}
	}
	// An event's count over all draws is nearly Poisson with mean NumDraws.
	_, std := stat.MeanStdDev(sum, nil)
	if want := math.Sqrt(metrics.NumDraws); math.Abs(std/want-1) > 0.15 {
		t.Errorf("counts over all draws spread by %.1f, want about %.1f", std, want)
	}
}

// TestDrawsOfPartsAreIndependent: those of a part say nothing of the draws with
// the same numbers of a part with twice the events.
func TestDrawsOfPartsAreIndependent(t *testing.T) {
	const events = 60
	weights, twice := make([]uint8, events), make([]uint8, 2*events)
	var a, b []float64
	for d := range metrics.NumDraws {
		metrics.Draw(d, weights)
		metrics.Draw(d, twice)
		for k, w := range weights {
			a, b = append(a, float64(w)), append(b, float64(twice[2*k]+twice[2*k+1]))
		}
	}
	if r := stat.Correlation(a, b, nil); math.Abs(r) > 5/math.Sqrt(events*metrics.NumDraws) {
		t.Errorf("correlation %v", r)
	}
}

func TestBootstrapSpreadIsTheStandardError(t *testing.T) {
	f := randomRanking(2000, 1)
	g := randomScores(3000, 10, 2)
	ranks := make([]float64, f.Len())
	for k := range ranks {
		ranks[k] = 1 / metrics.Rank(f.Greater[k], f.Equal[k])
	}
	for _, c := range []struct {
		metric string
		facts  metrics.Facts
		want   float64
	}{
		{"mrr", f, stat.StdErr(stat.StdDev(ranks, nil), float64(f.Len()))},
		{"auc", g, deLong(g)},
	} {
		values := metrics.Bootstrap(c.facts.Len(), [][]metrics.Weighted{prepared(t, c.metric, c.facts)}, nil)[0]
		if got := stat.StdDev(values, nil); math.Abs(got/c.want-1) > 0.1 {
			t.Errorf("%s: draws spread by %.5f, standard error %.5f", c.metric, got, c.want)
		}
		low, high := metrics.Interval(values)
		if v := value(t, c.metric, c.facts); !(low < v && v < high) {
			t.Errorf("%s: %v is not inside %v .. %v", c.metric, v, low, high)
		}
		if got := (high - low) / c.want; math.Abs(got-2*1.96) > 0.4 {
			t.Errorf("%s: the interval is %.2f standard errors wide, want about 3.92", c.metric, got)
		}
	}
}

func TestBootstrapAveragesSeeds(t *testing.T) {
	f, g := randomRanking(300, 1), randomRanking(300, 2)
	got := metrics.Bootstrap(300, [][]metrics.Weighted{
		prepared(t, "mrr", f), prepared(t, "mrr", g), prepared(t, "mrr", f, g),
	}, nil)
	for d := range metrics.NumDraws {
		if want := (got[0][d] + got[1][d]) / 2; !same(got[2][d], want) {
			t.Fatalf("draw %d: %v, want %v", d, got[2][d], want)
		}
	}
}

func TestBootstrapDoesNotDependOnWorkers(t *testing.T) {
	cells := [][]metrics.Weighted{prepared(t, "auc", randomScores(400, 5, 1), randomScores(400, 5, 2))}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var shares []float64
	want := metrics.Bootstrap(400, cells, nil)
	runtime.GOMAXPROCS(7)
	got := metrics.Bootstrap(400, cells, func(share float64) { shares = append(shares, share) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(shares) != metrics.NumDraws || !slices.IsSorted(shares) || shares[len(shares)-1] != 1 {
		t.Errorf("progress: %v", shares)
	}
}

// TestIntervalHoldsTheMiddle: a share of .025 of the values lies on either side,
// in whatever order they come.
func TestIntervalHoldsTheMiddle(t *testing.T) {
	var values []float64
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(1000) {
		values = append(values, float64(i))
	}
	if low, high := metrics.Interval(values); math.Abs(low-25) > 1 || math.Abs(high-974) > 1 {
		t.Errorf("got %v .. %v, want about 25 .. 974", low, high)
	}
}

// TestIntervalCoversTheTruth: of streams of the same kind, the true value lies
// below the interval of about one in 40, and as often above it.
func TestIntervalCoversTheTruth(t *testing.T) {
	const worlds, events = 200, 250
	truth := 0.0 // the mean of 1/rank over all counts that are drawn
	for greater := range int32(40) {
		for equal := range int32(4) {
			truth += 1 / metrics.Rank(greater, equal) / 160
		}
	}
	below, above := 0, 0
	for seed := range uint64(worlds) {
		values := metrics.Bootstrap(events, [][]metrics.Weighted{prepared(t, "mrr", randomRanking(events, seed))}, nil)[0]
		low, high := metrics.Interval(values)
		if truth < low {
			below++
		}
		if truth > high {
			above++
		}
	}
	// Five standard errors; reciprocal ranks are skewed, which widens the upper
	// side a little.
	if most := worlds*.025 + 5*math.Sqrt(worlds*.025*.975); float64(below) > most || float64(above) > most || below+above == 0 {
		t.Errorf("of %d intervals, %d lie above the truth and %d below it, want about %d", worlds, below, above, worlds/40)
	}
}

// TestIntervalEnds: where no value has exactly a share of .025 below it, an end
// lies between two of them: of 60 values, half-way from the first to the second,
// and from the 58th to the 59th.
func TestIntervalEnds(t *testing.T) {
	var values []float64
	for i := range 60 {
		values = append(values, 10*float64(i+1))
	}
	if low, high := metrics.Interval(values); math.Abs(low-15) > 1e-9 || math.Abs(high-585) > 1e-9 {
		t.Errorf("got %v .. %v, want 15 .. 585", low, high)
	}
}

func TestIntervalLeavesUndefinedDrawsOut(t *testing.T) {
	nan := math.NaN()
	if low, high := metrics.Interval([]float64{nan, 3, nan, 3}); low != 3 || high != 3 {
		t.Errorf("got %v .. %v, want 3 .. 3", low, high)
	}
	if low, high := metrics.Interval([]float64{nan}); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("got %v .. %v, want NaN", low, high)
	}
}

func BenchmarkBootstrap(b *testing.B) {
	var scores []metrics.Facts
	for seed := range uint64(10) {
		f := randomScores(36_000, 10, seed)
		f.Days, f.LogOdds = []int32{0, 9_000, 18_000, 27_000}, true
		scores = append(scores, f.Sorted())
	}
	for _, c := range []struct {
		name, metric string
		seeds        []metrics.Facts
	}{
		{"auc/10x36000", "auc", scores},
		{"ap/10x36000", "ap", scores},
		{"recall@1%fpr/10x36000", "recall@1%fpr", scores},
		{"precision@50%recall/10x36000", "precision@50%recall", scores},
		{"precision@100:day/10x36000", "precision@100/day", scores},
		{"brier/10x36000", "brier", scores},
		{"mrr/1x23621", "mrr", []metrics.Facts{randomRanking(23_621, 1)}},
	} {
		cells := [][]metrics.Weighted{prepared(b, c.metric, c.seeds...)}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				metrics.Bootstrap(c.seeds[0].Len(), cells, nil)
			}
		})
	}
}
