package datasets

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestEndTakesBack: what was added since Begin, and nodes that were forgotten, leave
// nothing behind once they are taken back; kept, they are as without Begin.
func TestEndTakesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, p, windows := drawParts(t)
		plain, d := p.Deriver(), p.Deriver()
		var want, got []float32
		for lo := 0; lo < len(windows); {
			hi := rapid.IntRange(lo, len(windows)).Draw(t, "end")
			before := d.State()
			if rapid.Bool().Draw(t, "in vain") {
				d.Begin()
				arriving(t, d, nil, windows[lo:hi])
				if rapid.Bool().Draw(t, "forgets") {
					_ = d.Forget(windows[lo].Src[0]) // it may have events in the last week
				}
				later := l.Stream.Slice(0, 1).Select([]int{0})
				later.Time[0] = l.Stream.Time[l.Stream.Len()-1] + rapid.Float64Range(0, 1e6).Draw(t, "later")
				_, _ = d.Append(nil, later)
				d.End(false)
				if diff := cmp.Diff(before, d.State()); diff != "" {
					t.Fatal(diff)
				}
				continue
			}
			d.Begin()
			got = arriving(t, d, got, windows[lo:hi])
			d.End(true)
			want = arriving(t, plain, want, windows[lo:hi])
			lo = hi
		}
		if !sameBits(got, want) || !sameBits(got, p.Whole.Feat) {
			t.Fatalf("features %v, expected %v", got, want)
		}
		if diff := cmp.Diff(plain.State(), d.State()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestForgottenNodes are new ones: the features of other nodes stay as they are, and those
// of the nodes are as if others had had their events.
func TestForgottenNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		features := []Derived{Raw(), Gap(Source), Gap(Destination), Count(Source), Count(Destination)}
		if rapid.Bool().Draw(t, "velocity") {
			features = append(features, Velocity())
		}
		s := rush(t)
		file := slices.Repeat([]string{"x"}, s.NumFeat)
		d, err := newDeriver(features, file)
		if err != nil {
			t.Fatal(err)
		}
		other, err := newDeriver(features, file)
		if err != nil {
			t.Fatal(err)
		}
		number := map[int32]int32{} // in the other one, which forgets nobody
		next := int32(0)
		as := func(n int32) int32 {
			if _, ok := number[n]; !ok {
				number[n] = next
				next++
			}
			return number[n]
		}
		for k := range s.Len() {
			if n := rapid.Int32Range(0, int32(s.NumNodes)+3).Draw(t, "node"); rapid.Bool().Draw(t, "forget") {
				before := d.State()
				if err := d.Forget(n); err == nil {
					delete(number, n)
				} else if diff := cmp.Diff(before, d.State()); diff != "" || !d.history.knows(n) {
					t.Fatalf("%v: %s", err, diff)
				}
			}
			e := s.Slice(k, k+1)
			renamed := e.Select([]int{0})
			renamed.Src[0] = as(e.Src[0])
			renamed.Dst[0] = as(e.Dst[0])
			a, err := d.Append(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			b, err := other.Append(nil, renamed)
			if err != nil {
				t.Fatal(err)
			}
			if !sameBits(a, b) {
				t.Fatalf("event %d: %v, expected %v", k, a, b)
			}
			if err := d.Add(e); err != nil {
				t.Fatal(err)
			}
			if err := other.Add(renamed); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// knows reports whether the node has an event in the week.
func (h *history) knows(n int32) bool {
	for _, e := range h.week.events[h.week.oldest[numWindows-1]:] {
		if e.node[Source] == n || e.node[Destination] == n {
			return true
		}
	}
	return false
}

// TestForgetTwice, and of a node that nobody has seen, is nothing new.
func TestForgetTwice(t *testing.T) {
	d, err := newDeriver([]Derived{Gap(Source)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := tinyStream().WithFeatures(nil, 0)
	if err := d.Add(s.Slice(0, 2)); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int32{s.Src[0], s.Src[0], 1000} {
		if err := d.Forget(n); err != nil {
			t.Fatal(err)
		}
	}
	if text := fmt.Sprint(d.history.last[s.Src[0]], d.history.count[Source][s.Src[0]]); text != "0 0" {
		t.Error(text)
	}
}
