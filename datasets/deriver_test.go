package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/safetensors"
	"dgsbench/protocol"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// arriving appends the features of the windows of a stream.
func arriving(t *rapid.T, d *Deriver, out []float32, windows []Stream) []float32 {
	for _, w := range windows {
		rows, err := d.Append(out, w)
		if err != nil {
			t.Fatal(err)
		}
		out = rows
		if err := d.Add(w); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// sameBits compares numbers, of which 0 and -0 are two.
func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// drawParts draws a dataset with derived features of all kinds, and its parts.
func drawParts(t *rapid.T) (*Loaded, Parts, []Stream) {
	l := &Loaded{Stream: rush(t), Dataset: Dataset{Name: "rush", HeldOut: SampleHeldOut(1)}}
	n := l.Stream.Len()
	l.Split.TrainEnd = rapid.IntRange(1, n).Draw(t, "train")
	l.Split.ValEnd = rapid.IntRange(l.Split.TrainEnd, n).Draw(t, "validation")
	kinds := []Derived{Raw(), Standardised(), Gap(Source), Gap(Destination), Count(Source), Count(Destination), HashedID(Source, 3), HashedID(Destination, 4)}
	if l.Stream.NumFeat > 1 {
		for k := range n {
			x := &l.Stream.Feat[k*l.Stream.NumFeat+1]
			*x = float32(math.Abs(float64(*x)))
		}
		kinds = append(kinds, Log1p(1))
	}
	if rapid.Bool().Draw(t, "derived") {
		l.Dataset.Features = kinds
	}
	l.Dataset.Substitute = GapsAndCounts()
	cut := Cut{
		Setting: protocol.Transductive, NeedFeatures: true, Velocity: rapid.Bool().Draw(t, "velocity"),
		Batch: rapid.SampledFrom([]int{0, 1, 7, 200}).Draw(t, "batch"),
	}
	if rapid.Bool().Draw(t, "inductive") {
		cut.Setting = protocol.Inductive
	}
	p, err := l.Parts(cut)
	if err != nil {
		if strings.Contains(err.Error(), "too far from the training part") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	begins := l.begins(p.Train, cut.Batch)
	var windows []Stream
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && begins != nil && !begins[hi] {
			hi++
		}
		windows = append(windows, l.Stream.Slice(lo, hi))
		lo = hi
	}
	return l, p, windows
}

// TestFeaturesOfArrivingEvents are those of the whole stream, bit for bit. A service
// that asks for features in vain, or ends and is restored anywhere, gets the same.
func TestFeaturesOfArrivingEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, p, windows := drawParts(t)
		d := p.Deriver()
		if diff := cmp.Diff(p.Columns, d.Columns()); diff != "" || len(p.Columns) != p.Whole.NumFeat {
			t.Fatalf("%d columns: %s", p.Whole.NumFeat, diff)
		}
		stop := rapid.IntRange(0, len(windows)).Draw(t, "stop")
		got := arriving(t, d, nil, windows[:stop])
		// What is asked for and not added leaves nothing behind, nor does what is refused.
		before := d.State()
		later := l.Stream.Slice(0, 1).Select([]int{0})
		later.Time[0], later.Src[0] = l.Stream.Time[l.Stream.Len()-1]+rapid.Float64Range(0, 1e7).Draw(t, "later"), 9
		_, _ = d.Append(nil, later) // it may be too far from the training part's
		if stop < len(windows) && rapid.Bool().Draw(t, "asked twice") {
			_, _ = d.Append(nil, later)
			_, _ = d.Append(nil, windows[stop])
			_, _ = d.Append(nil, later)
		}
		if rapid.Bool().Draw(t, "restored") {
			restored, err := ParseDeriver(d.String())
			if err != nil {
				t.Fatal(err)
			}
			if err := restored.Restore(d.State()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, restored.State()); diff != "" || restored.String() != d.String() {
				t.Fatalf("restored as %s, expected %s: %s", restored, d, diff)
			}
			d = restored
		}
		if got = arriving(t, d, got, windows[stop:]); !sameBits(got, p.Whole.Feat) {
			t.Fatalf("events that arrive have\n%v, expected\n%v", got, p.Whole.Feat)
		}
	})
}

// TestDeriverRefuses what cannot follow, with its reason, and goes on as if it had
// not been asked.
func TestDeriverRefuses(t *testing.T) {
	d, err := newDeriver([]Derived{Raw(), Gap(Source)}, []string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	s := tinyStream()
	if err := d.Add(s.Slice(2, 4)); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Stream){
		"events with 1 features, expected 2":  func(s *Stream) { s.NumFeat, s.Feat = 1, s.Feat[:s.Len()] },
		"nodes -1 and ":                       func(s *Stream) { s.Src[0] = -1 },
		"expected none below 0":               func(s *Stream) { s.Dst[1] = math.MinInt32 },
		"the time is NaN":                     func(s *Stream) { s.Time[1] = math.NaN() },
		"the time is +Inf":                    func(s *Stream) { s.Time[1] = math.Inf(1) },
		"is before that of the last event, ":  func(s *Stream) { s.Time[0] = -1 },
		"event 5: its time -7 is before that": func(s *Stream) { s.Time[1] = -7 },
		"event 4: a feature is not finite":    func(s *Stream) { s.Feat[1] = float32(math.Inf(-1)) },
	} {
		w := s.Slice(4, 6).Select([]int{0, 1})
		change(&w)
		before := d.State()
		_, asked := d.Append(nil, w)
		for _, err := range []error{asked, d.Add(w)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, expected %s", err, want)
			}
		}
		if diff := cmp.Diff(before, d.State()); diff != "" {
			t.Errorf("%s: %s", want, diff)
		}
	}
}

// TestParseDeriverRefuses descriptions of no Deriver.
func TestParseDeriverRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``: "EOF", `{}x`: "something follows", `{"feature":[]}`: "unknown field",
		`{"features":[{"kind":"log1q"}]}`:                                              "no derived feature",
		`{"features":[{"kind":"gap"}]}`:                                                "no derived feature",
		`{"features":[{"kind":"gap","side":"source","columns":2}]}`:                    "no derived feature",
		`{"features":[{"kind":"hashed id","side":"source","columns":-5}]}`:             "no derived feature",
		`{"features":[{"kind":"hashed id","side":"source","columns":9000000000}]}`:     "no derived feature",
		`{"features":[{"kind":"log1p","feature":-1}]}`:                                 "no derived feature",
		`{"features":[{"kind":"log1p","feature":1}],"file":["x"],"mean":[0],"sd":[1]}`: "feature 2 is declared, but the file has 1",
		`{"features":[{"kind":"standardised"}],"file":["x"],"mean":[0],"sd":[]}`:       "1 means and 0 standard deviations of 1 scaled columns",
		`{"features":[{"kind":"standardised"}],"file":["x"],"mean":[0],"sd":[-1]}`:     "a standard deviation of -1",
		`{"features":[{"kind":"standardised"}],"file":["x"],"mean":[1e999],"sd":[1]}`:  "cannot unmarshal",
	} {
		if _, err := ParseDeriver(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %s", text, err, want)
		}
	}
}

// weekly returns a Deriver with all that a history can have.
func weekly(t interface{ Fatal(...any) }) *Deriver {
	d, err := newDeriver([]Derived{Gap(Source), Velocity()}, []string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	s := tinyStream()
	s.Time = []float64{0, 4000, 4000, 90_000, 90_000, 700_000}
	if err := d.Add(s.Slice(0, 5)); err != nil {
		t.Fatal(err)
	}
	if err := d.Add(s.Slice(5, 6)); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMoments: by them Append makes what it makes of columns.
func TestMoments(t *testing.T) {
	d, err := ParseDeriver(`{"features": [{"kind": "raw"}, {"kind": "standardised"}], "file": ["a", "b"], "mean": [1, 2], "sd": [4, 0]}`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // what is returned may be changed
		mean, sd := d.Moments()
		if !slices.Equal(mean, []float64{0, 0, 1, 2}) || !slices.Equal(sd, []float64{1, 1, 4, 0}) {
			t.Errorf("means %v, deviations %v", mean, sd)
		}
		clear(mean)
		clear(sd)
	}
	got, err := d.Append(nil, Stream{Src: []int32{0}, Dst: []int32{1}, Time: []float64{0}, Feat: []float32{3, 5}, NumFeat: 2, NumNodes: 2})
	if err != nil || !slices.Equal(got, []float32{3, 5, .5, 0}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestRestoreOfAnotherState: a state with any number changed, added or left out is
// refused, or is a state of its own; one that is refused changes nothing.
func TestRestoreOfAnotherState(t *testing.T) {
	refused := 0
	for i := range weekly(t).State() {
		n := max(len(weekly(t).State()[i].I64), len(weekly(t).State()[i].F32))
		for k := range n {
			for name, change := range map[string]func(*safetensors.Tensor){
				"shape": func(x *safetensors.Tensor) { x.Shape[0]++ },
				"name":  func(x *safetensors.Tensor) { x.Name += "s" },
				"long": func(x *safetensors.Tensor) {
					x.I64, x.F32 = append(x.I64, 1), append(x.F32, 1)
				},
				"number": func(x *safetensors.Tensor) {
					if x.I64 != nil {
						x.I64[k] = math.MinInt64
					} else {
						x.F32[k] = float32(math.NaN())
					}
				},
				"NaN": func(x *safetensors.Tensor) {
					if x.I64 != nil {
						x.I64[k] = bits(math.NaN())
					} else {
						x.F32[k] = float32(math.Inf(1))
					}
				},
			} {
				d := weekly(t)
				before, tensors := d.State(), d.State()
				change(&tensors[i])
				if d.Restore(tensors) == nil {
					if name != "number" { // the least integer is the bits of -0
						t.Errorf("%s of %s, number %d: restored", name, before[i], k)
					}
					continue
				}
				refused++
				if diff := cmp.Diff(before, d.State()); diff != "" {
					t.Errorf("%s of %s: %s", name, before[i], diff)
				}
			}
		}
	}
	if refused < 100 {
		t.Errorf("%d states were refused", refused)
	}
	d := weekly(t)
	for _, tensors := range [][]safetensors.Tensor{d.State()[:5], d.State()[:2]} {
		if err := d.Restore(tensors); err == nil || !strings.Contains(err.Error(), "tensors, expected 6") {
			t.Errorf("error %v", err)
		}
	}
}

// FuzzParseDeriver: what is read is written as it can be read again.
func FuzzParseDeriver(f *testing.F) {
	f.Add(weekly(f).String())
	d, err := newDeriver(everyFeature, []string{"x", "y"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(d.String())
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDeriver(text)
		if err != nil {
			return
		}
		again, err := ParseDeriver(d.String())
		if err != nil || again.String() != d.String() {
			t.Errorf("%s: %v, then %v", text, d, err)
		}
	})
}

// FuzzRestoreHistory: what is restored is a state, and features follow it.
func FuzzRestoreHistory(f *testing.F) {
	f.Add(0, 0, int64(0))
	f.Add(2, 5, int64(3))
	f.Fuzz(func(t *testing.T, tensor, k int, value int64) {
		d := weekly(t)
		tensors := d.State()
		x := tensors[uint(tensor)%uint(len(tensors))]
		if x.I64 == nil {
			x.F32[uint(k)%uint(len(x.F32))] = math.Float32frombits(uint32(value))
		} else {
			x.I64[uint(k)%uint(len(x.I64))] = value
		}
		if d.Restore(tensors) != nil {
			return
		}
		if diff := cmp.Diff(fmt.Sprint(tensors), fmt.Sprint(d.State())); diff != "" && d.State() != nil {
			t.Log(diff) // nodes without events may be left out
		}
		s := tinyStream().Slice(5, 6)
		s.Time = []float64{d.history.now}
		if rows, err := d.Append(nil, s); err == nil && !finite(rows) {
			t.Error(rows)
		}
	})
}
