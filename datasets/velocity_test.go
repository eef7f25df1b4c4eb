package datasets

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/protocol"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// velocityByDefinition are the columns of event k, of the events that are
// before event first: one loop over all of them for each column.
func velocityByDefinition(s Stream, k, first int) (out []float64) {
	for _, side := range []Side{Source, Destination} {
		for _, seconds := range []float64{3600, 24 * 3600, 7 * 24 * 3600} {
			n, partners, sums := 0, map[int32]bool{}, make([]float64, s.NumFeat)
			for j := range first {
				if side.node(s, j) != side.node(s, k) || s.Time[k]-s.Time[j] > seconds {
					continue
				}
				n++
				partners[(1-side).node(s, j)] = true
				for i, x := range s.Features(j) {
					sums[i] += float64(x)
				}
			}
			out = append(out, math.Log1p(float64(n)), math.Log1p(float64(len(partners))))
			for _, x := range sums[:min(16, len(sums))] {
				sign := 1.
				if x < 0 {
					sign = -1
				}
				out = append(out, sign*math.Log1p(math.Abs(x)), x/max(1, float64(n)))
			}
		}
	}
	return out
}

// rush draws a stream in which nodes, pairs and times repeat, with gaps of
// seconds to weeks.
func rush(t *rapid.T) Stream {
	n, features := rapid.IntRange(1, 60).Draw(t, "events"), rapid.SampledFrom([]int{0, 1, 3, 18}).Draw(t, "features")
	s := NewStream(n, features)
	s.NumNodes = rapid.IntRange(1, 5).Draw(t, "nodes")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	now := 0.
	for k := range n {
		now += []float64{0, 1, 1800, 3600, 80_000, 86_400, 400_000}[rng.IntN(7)]
		s.Src[k], s.Dst[k], s.Time[k] = int32(rng.IntN(s.NumNodes)), int32(rng.IntN(s.NumNodes)), now
	}
	for i := range s.Feat {
		s.Feat[i] = float32(rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-3)))
	}
	return s
}

// countsOf returns the columns of a feature before they are standardised.
func countsOf(t interface{ Fatal(...any) }, s Stream, d Derived, begins []bool) Stream {
	d.scaled = false
	out, err := derive(s, s, []Derived{d}, begins)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestVelocityByDefinition: every column of every event, before the event and
// before its batch.
func TestVelocityByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rush(t)
		batch := rapid.IntRange(1, 7).Draw(t, "batch")
		var begins []bool
		for k := range s.Len() {
			begins = append(begins, k%batch == 0)
		}
		got := countsOf(t, s, Velocity(), begins)
		for k := range s.Len() {
			want := velocityByDefinition(s, k, k-k%batch)
			if diff := cmp.Diff(want, widened(got.Features(k)), cmpopts.EquateApprox(1e-6, 1e-6)); diff != "" {
				t.Fatalf("event %d of %+v: %s", k, s, diff)
			}
		}
	})
}

func widened(row []float32) (out []float64) {
	for _, x := range row {
		out = append(out, float64(x))
	}
	return out
}

// TestVelocityIsCausal: what comes later changes no bit.
func TestVelocityIsCausal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rush(t)
		k := rapid.IntRange(0, s.Len()-1).Draw(t, "event")
		want := countsOf(t, s, Velocity(), nil)
		other := s.Select(seq(s.Len()))
		for j := k; j < s.Len(); j++ {
			if j > k {
				other.Src[j], other.Dst[j], other.Time[j] = 0, 0, other.Time[j]+1e6
			}
			for i := range s.NumFeat {
				other.Feat[j*s.NumFeat+i] = 1e30 // its own features, too, are none of its counts
			}
		}
		got := countsOf(t, other, Velocity(), nil)
		if end := (k + 1) * want.NumFeat; !slices.Equal(got.Feat[:end], want.Feat[:end]) {
			t.Fatalf("events up to %d: %v, expected %v", k, got.Feat[:end], want.Feat[:end])
		}
	})
}

func seq(n int) (out []int) {
	for k := range n {
		out = append(out, k)
	}
	return out
}

// TestVelocityForgets: a huge amount that has left the window leaves nothing of
// it behind in the sum of the others.
func TestVelocityForgets(t *testing.T) {
	s := NewStream(4, 1)
	s.NumNodes = 2
	s.Dst = []int32{1, 1, 1, 1}
	s.Time, s.Feat = []float64{0, 3000, 3500, 3700}, []float32{3e15, .25, .5, 0}
	got := countsOf(t, s, Velocity(), nil)
	if sum := math.Expm1(float64(got.Features(3)[2])); math.Abs(sum-.75) > 1e-6 {
		t.Errorf("the sum of .25 and .5 is %v", sum)
	}
}

// TestVelocityColumns: a model gets its own features and then the counts, whose
// names say what they are.
func TestVelocityColumns(t *testing.T) {
	s := tinyStream()
	for name, c := range map[string]struct {
		dataset  Dataset
		features int
		first    []string
	}{
		"own":        {Dataset{Layout: Layout{Features: []string{"amount", "age"}}}, 2, []string{"amount", "age", "events of the source in 1 h", "partners of the source in 1 h", "sum of amount of the source in 1 h"}},
		"derived":    {Dataset{Features: []Derived{Log1p(1)}}, 2, []string{"log1p of feature 2", "events of the source in 1 h"}},
		"substitute": {Dataset{Substitute: []Derived{Count(Source)}}, 0, []string{Count(Source).String(), "events of the source in 1 h"}},
		"none":       {Dataset{}, 0, []string{"events of the source in 1 h"}},
	} {
		s := s.WithFeatures(s.Feat[:s.Len()*c.features], c.features)
		l := &Loaded{Dataset: c.dataset, Stream: s, Split: Split{TrainEnd: 3, ValEnd: 4}}
		p, err := l.Parts(Cut{Setting: protocol.Transductive, NeedFeatures: true, Velocity: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.first, p.Columns[:len(c.first)]); diff != "" || len(p.Columns) != p.Train.NumFeat {
			t.Errorf("%s: %d columns with %d names: %s", name, p.Train.NumFeat, len(p.Columns), diff)
		}
	}
}

// BenchmarkVelocity derives 200,000 events with 10 features.
func BenchmarkVelocity(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := NewStream(200_000, 10)
	s.NumNodes = 20_000
	for k := range s.Len() {
		s.Src[k], s.Dst[k], s.Time[k] = int32(rng.IntN(s.NumNodes)), int32(rng.IntN(s.NumNodes)), float64(20*k)
	}
	for i := range s.Feat {
		s.Feat[i] = rng.Float32()
	}
	for b.Loop() {
		if _, err := derive(s, s.Slice(0, 140_000), []Derived{Raw(), Velocity()}, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(velocityColumns(make([]string, 10)))), "columns")
}
