package scale

import (
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// contents copies the columns of a chunk, and the numbers of its events.
func contents(s datasets.Stream) (out struct {
	Src, Dst, ID []int32
	Time         []float64
	Label        []int8
	Feat         []float32
},
) {
	out.Src, out.Dst, out.Time = slices.Clone(s.Src), slices.Clone(s.Dst), slices.Clone(s.Time)
	out.Label, out.Feat = slices.Clone(s.Label), slices.Clone(s.Feat)
	for k := range s.Len() {
		out.ID = append(out.ID, int32(s.EventID(k)))
	}
	return out
}

// TestChunks: the same seed makes the same stream, however it is cut.
func TestChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, features := rapid.IntRange(minNodes, 200).Draw(t, "nodes"), rapid.IntRange(0, 3).Draw(t, "features")
		seed := rapid.Uint64().Draw(t, "seed")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 50), 1, 8).Draw(t, "sizes")
		total := 0
		for _, n := range sizes {
			total += n
		}
		whole := contents(NewGenerator(nodes, features, seed).Next(total))
		cut, lo := NewGenerator(nodes, features, seed), 0
		for _, n := range sizes {
			got := contents(cut.Next(n))
			want := whole
			want.Src, want.Dst, want.ID = want.Src[lo:lo+n], want.Dst[lo:lo+n], want.ID[lo:lo+n]
			want.Time, want.Label = want.Time[lo:lo+n], want.Label[lo:lo+n]
			want.Feat = want.Feat[lo*features : (lo+n)*features]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("events %d to %d, in one piece (-) and cut (+):\n%s", lo, lo+n-1, diff)
			}
			lo += n
		}
	})
}

// TestStream: what docs/scale.md says of the stream, here and a million
// events later.
func TestStream(t *testing.T) {
	const nodes, size = 10_000, 20_000
	g := NewGenerator(nodes, 2, 1)
	check := func(s datasets.Stream) {
		t.Helper()
		back, heavy, last := 0, 0, map[int32]int32{}
		for k := range s.Len() {
			u, v := s.Src[k], s.Dst[k]
			if u < 0 || int(u) >= s.Users || int(v) < s.Users || int(v) >= nodes || k > 0 && s.Time[k] < s.Time[k-1] {
				t.Fatalf("event %d is %d -> %d at %v", s.EventID(k), u, v, s.Time[k])
			}
			if last[u] == v {
				back++
			}
			last[u] = v
			if int(u) < s.Users/100 {
				heavy++
			}
		}
		if d := distinct(s, 200); d < 140 || d > 156 {
			t.Errorf("%.1f different nodes in a batch of 200, expected about 148", d)
		}
		if share := float64(back) / size; share < .6 || share > .8 {
			t.Errorf("%.2f of the events return", share)
		}
		if share := float64(heavy) / size; share < .17 || share > .26 {
			t.Errorf("the first hundredth of the users makes %.3f of the events, expected about %.3f", share, math.Cbrt(.01))
		}
	}
	check(g.Next(size))
	for g.next < 1_000_000 {
		g.Next(size)
	}
	check(g.Next(size))
}

// distinct is the mean number of different nodes in a batch.
func distinct(s datasets.Stream, batch int) float64 {
	sum, batches := 0, s.Len()/batch
	for i := range batches {
		seen := map[int32]bool{}
		for k := i * batch; k < (i+1)*batch; k++ {
			seen[s.Src[k]], seen[s.Dst[k]] = true, true
		}
		sum += len(seen)
	}
	return float64(sum) / float64(batches)
}

// TestFeaturesChangeNoEvents: a sweep over features sees the same events.
func TestFeaturesChangeNoEvents(t *testing.T) {
	few, many := contents(NewGenerator(50, 1, 3).Next(100)), contents(NewGenerator(50, 9, 3).Next(100))
	few.Feat, many.Feat = nil, nil
	if diff := cmp.Diff(few, many); diff != "" {
		t.Errorf("one feature (-) and nine (+):\n%s", diff)
	}
}

func BenchmarkNext(b *testing.B) {
	g := NewGenerator(10_000, 7, 1)
	for b.Loop() {
		g.Next(2_000)
	}
	b.ReportMetric(2_000*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
