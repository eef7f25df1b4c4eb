package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// derive returns a stream with derived features.
func derive(s, train Stream, features []Derived, begins []bool) (Stream, error) {
	d, err := newDeriver(features, make([]string, s.NumFeat))
	if err != nil {
		return Stream{}, err
	}
	return d.fit(s, train, begins)
}

// The four features of amlsim-20k on six transfers, one of them a self loop,
// standardised on the first four. The expected values come from the formulas
// in numpy, with mean and deviation in float64.
func TestDeriveByHand(t *testing.T) {
	s := Stream{
		Src: []int32{0, 1, 0, 2, 0, 2}, Dst: []int32{1, 0, 2, 2, 2, 1},
		Time: []float64{0, 0, 2, 6, 7, 9}, Label: make([]int8, 6),
		Feat: []float32{10, 20, 5, 1, 2, 9}, NumFeat: 1, NumNodes: 3,
	}
	want := []float32{
		0.48048915, -0.96621097, -0.57735027, -0.57735027,
		1.22724252, -0.96621097, -0.57735027, -0.57735027,
		-0.21950305, 0.60169386, -0.57735027, 1.73205081,
		-1.48822861, 1.33072808, 1.73205081, -0.57735027,
		-1.01997974, 1.59093164, 0.41725462, 3.08296389,
		0.37042074, 0.60169386, 2.7266557, 1.73205081,
	}
	got, err := derive(s, s.Slice(0, 4), []Derived{Log1p(0), Gap(Source), Gap(Destination), Count(Source)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Feat, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Error(diff)
	}
}

// TestScaledByHand: every column has its own mean and deviation, and each side
// its own counts. Of tinyStream, events 0 and 2 are trained on.
func TestScaledByHand(t *testing.T) {
	thrice := float32(2*math.Log2(3) - 1) // log1p(2), where 0 and log1p(1) are -1 and 1
	for _, c := range []struct {
		feature Derived
		want    []float32
	}{
		{Standardised(), []float32{-1, -1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4}},
		{Count(Source), []float32{-1, -1, 1, 1, thrice, thrice}},
		{Count(Destination), []float32{-1, -1, 1, 1, thrice, -1}},
	} {
		s := tinyStream()
		got, err := derive(s, s.Select([]int{0, 2}), []Derived{c.feature}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.Feat, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("%s: %s", c.feature, diff)
		}
	}
}

// TestStandardisedTooLarge: what lies too many deviations away for a float32
// is refused with its place; what a float64 in between can hold is not.
func TestStandardisedTooLarge(t *testing.T) {
	s := tinyStream()
	s.NumFeat, s.Feat = 1, []float32{1e-40, 0, 1e-40, 5, math.MaxFloat32, 0}
	_, err := derive(s, s.Slice(0, 3), []Derived{Count(Source), Standardised()}, nil)
	if want := "event 3: the file's features, standardised: too far from the training part's for a float32"; err == nil || err.Error() != want {
		t.Errorf("%v, expected %q", err, want)
	}
	s.Feat = []float32{math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32, 0, 0, 0}
	if _, err := derive(s, s.Slice(0, 3), []Derived{Standardised()}, nil); err != nil {
		t.Error(err)
	}
	s.Time = []float64{0, 1, 2, 4e292, 5e292, math.MaxFloat64}
	if _, err := derive(s, s.Slice(0, 3), []Derived{Gap(Source), Gap(Destination)}, nil); err != nil {
		t.Errorf("gaps between huge times: %v", err)
	}
}

func TestUnscaledFeatures(t *testing.T) {
	s := tinyStream()
	s.Feat = []float32{2, 7, 5, 7, 2, 7, 9, 7, 5, 7, 2, 7}
	train := s.Slice(0, 3)
	for _, c := range []struct {
		feature Derived
		width   int
		want    []float32
	}{
		{Raw(), 2, s.Feat},
		{Log1p(1), 1, make([]float32, 6)}, // constant
	} {
		got, err := derive(s, train, []Derived{c.feature}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.Feat); diff != "" || got.NumFeat != c.width {
			t.Errorf("%s: %d columns: %s", c.feature, got.NumFeat, diff)
		}
	}
}

func TestHashedID(t *testing.T) {
	n, buckets := 1000, 8
	s := Stream{Time: make([]float64, n), Label: make([]int8, n), NumNodes: n + 1}
	for k := range n {
		s.Src, s.Dst = append(s.Src, int32(k)), append(s.Dst, int32(n))
	}
	got, err := derive(s, s, []Derived{HashedID(Source, buckets), HashedID(Destination, buckets)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	used := make([]int, buckets)
	sum := float32(0)
	for k := range n {
		row := got.Features(k)
		ones := 0
		for i, x := range row {
			if x != 0 && x != 1 && x != -1 {
				t.Fatalf("node %d has %v", k, x)
			}
			if x != 0 {
				ones++
				if i < buckets {
					used[i]++
					sum += x
				}
			}
		}
		if ones != 2 {
			t.Fatalf("event %d has %d entries, want one a side", k, ones)
		}
		if !slices.Equal(row[buckets:], got.Features(0)[buckets:]) {
			t.Fatal("the same destination has two hashes")
		}
	}
	if slices.Min(used) < n/buckets/2 || math.Abs(float64(sum)) > float64(n)/8 {
		t.Errorf("buckets hold %v of %d nodes, signs sum to %v", used, n, sum)
	}
}

func TestDeriveErrors(t *testing.T) {
	s := tinyStream()
	s.Feat[4] = -3
	for _, c := range []struct {
		s       Stream
		feature Derived
		want    string
	}{
		{s, Log1p(0), "event 2: log1p of feature 1 is not finite"},
		{s, Log1p(2), "feature 3 is declared, but the file has 2"},
	} {
		if _, err := derive(c.s, c.s, []Derived{c.feature}, nil); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.feature, err, c.want)
		}
	}
}

// everyFeature needs two features in the file.
var everyFeature = []Derived{
	Raw(), Log1p(0), Gap(Source), Gap(Destination), Count(Source), Count(Destination),
	HashedID(Source, 3), HashedID(Destination, 4),
}

// drawEvents draws a stream with two features.
func drawEvents(t *rapid.T, n int) Stream {
	s := Stream{NumFeat: 2, NumNodes: 5}
	now := 0.0
	for range n {
		s.Src = append(s.Src, rapid.Int32Range(0, 4).Draw(t, "src"))
		s.Dst = append(s.Dst, rapid.Int32Range(0, 4).Draw(t, "dst"))
		s.Time = append(s.Time, now)
		now += rapid.Float64Range(0, 10).Draw(t, "gap")
		s.Label = append(s.Label, int8(rapid.IntRange(-1, 1).Draw(t, "label")))
		s.Feat = append(s.Feat, rapid.Float32Range(0, 100).Draw(t, "amount"), float32(rapid.IntRange(0, 3).Draw(t, "kind")))
	}
	return s
}

// Nothing that happens after event k, and no label at all, changes the
// features of events up to k.
func TestDerivedFeaturesAreCausal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "events")
		k := rapid.IntRange(1, n-1).Draw(t, "changed from")
		before, after := drawEvents(t, n), drawEvents(t, n)
		changed := before.Select(all(n))
		copy(changed.Src[k:], after.Src[k:])
		copy(changed.Dst[k:], after.Dst[k:])
		copy(changed.Feat[k*2:], after.Feat[k*2:])
		copy(changed.Label, after.Label)
		for i := k; i < n; i++ {
			changed.Time[i] = before.Time[k-1] + after.Time[i]
		}
		trainEnd := rapid.IntRange(1, k).Draw(t, "train")
		a, errA := derive(before, before.Slice(0, trainEnd), everyFeature, nil)
		b, errB := derive(changed, changed.Slice(0, trainEnd), everyFeature, nil)
		for _, err := range []error{errA, errB} {
			if err != nil && strings.Contains(err.Error(), "too far from the training part") {
				t.Skip(err)
			}
		}
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if diff := cmp.Diff(a.Feat[:k*a.NumFeat], b.Feat[:k*b.NumFeat]); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Measurements have mean 0 and deviation 1 over the events of train, also
// where train is not a prefix; constant ones are 0.
func TestStandardisedOnTrain(t *testing.T) {
	measurements := []Derived{Log1p(0), Gap(Source), Count(Destination)}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "events")
		s := drawEvents(t, n)
		train := s.Select(slices.DeleteFunc(all(n), func(k int) bool { return k > 0 && rapid.Bool().Draw(t, "left out") }))
		out, err := derive(s, train, measurements, nil)
		if err != nil && strings.Contains(err.Error(), "too far from the training part") {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for c := range measurements {
			sum, squares := 0.0, 0.0
			for k := range train.Len() {
				x := float64(out.Features(train.EventID(k))[c])
				sum += x
				squares += x * x
			}
			m := float64(train.Len())
			constant := squares == 0
			if math.Abs(sum/m) > 1e-4 || !constant && math.Abs(squares/m-1) > 1e-3 {
				t.Fatalf("%s: mean %g, mean square %g", measurements[c], sum/m, squares/m)
			}
		}
	})
}

func all(n int) []int {
	out := make([]int, n)
	for k := range out {
		out[k] = k
	}
	return out
}

func TestHashedIDRefusesNoBuckets(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "0 hash buckets") {
			t.Errorf("panic %q", text)
		}
	}()
	HashedID(Source, 0)
}
