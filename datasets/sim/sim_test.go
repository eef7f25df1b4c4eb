package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// small is a simulator at a size for tests.
func small(t interface{ Fatal(...any) }, name string, events int) Params {
	for _, s := range Simulators {
		if s.Name != name {
			continue
		}
		p := s.Params
		times := float64(events) / float64(p.Events)
		p.Users, p.Events = int(times*float64(p.Users)), events
		p.Items, p.Positives = int(times*float64(p.Items)), int(times*float64(p.Positives))
		return p
	}
	t.Fatal("no simulator", name)
	return Params{}
}

func names() []string {
	var out []string
	for _, s := range Simulators {
		out = append(out, s.Name)
	}
	return out
}

// fingerprint is the SHA-256 of all columns.
func fingerprint(s datasets.Stream) string {
	h := sha256.New()
	for _, column := range []any{s.Src, s.Dst, s.Time, s.Label, s.Feat} {
		if err := binary.Write(h, binary.LittleEndian, column); err != nil {
			panic(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestFrozen: the parameters, and the first events that come of them, are
// those of Version 1. Whoever changes a stream raises Version.
func TestFrozen(t *testing.T) {
	for name, want := range frozen {
		i := slices.IndexFunc(Simulators, func(s Simulator) bool { return s.Name == name })
		if i < 0 {
			t.Errorf("%s is frozen and has gone", name)
			continue
		}
		s := Simulators[i]
		if got := s.Params.checksum(Seed); got != want.params {
			t.Errorf("%s: checksum %s, frozen as %s", s.Name, got, want.params)
		}
		if got := fingerprint(New(s.Params, Seed).Next(20_000)); got != want.events {
			t.Errorf("%s: the first events have SHA-256 %s, frozen as %s", s.Name, got, want.events)
		}
	}
}

// TestStream: sizes are exact, times never decrease, nodes are numbered by
// their first event (destinations of a bipartite stream are all there from
// the start), and a terminal label ends its source.
func TestStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := small(t, rapid.SampledFrom(names()).Draw(t, "simulator"), rapid.IntRange(1_000, 4_000).Draw(t, "events"))
		p.Features = rapid.IntRange(0, 30).Draw(t, "features")
		s := Generate(p, rapid.Uint64().Draw(t, "seed"))
		want := datasets.Counts{Events: p.Events, Nodes: p.Users + p.Items, Positives: p.Positives, Features: p.Features}
		if p.bipartite() {
			want.Users, want.Items = p.Users, p.Items
		}
		if diff := cmp.Diff(want, s.Counts()); diff != "" {
			t.Fatal(diff)
		}
		if !slices.IsSorted(s.Time) || s.Time[0] != 0 {
			t.Fatal("times decrease, or do not begin at 0")
		}
		arrived := int32(0)
		over := map[int32]bool{}
		for k := range s.Len() {
			ends := []int32{s.Src[k]}
			if !p.bipartite() {
				ends = append(ends, s.Dst[k])
				if s.Src[k] == s.Dst[k] {
					t.Fatalf("event %d is a self-loop", k)
				}
			} else if s.Dst[k] < int32(p.Users) || s.Dst[k] >= int32(s.NumNodes) {
				t.Fatalf("event %d goes to node %d", k, s.Dst[k])
			}
			for _, n := range ends {
				if n > arrived || n < 0 {
					t.Fatalf("event %d has node %d before %d", k, n, arrived)
				}
				arrived = max(arrived, n+1)
			}
			if over[s.Src[k]] {
				t.Fatalf("event %d follows its source's last", k)
			}
			over[s.Src[k]] = p.Terminal && s.Label[k] == 1
		}
		if arrived != int32(p.Users) {
			t.Fatalf("%d of %d users appear", arrived, p.Users)
		}
		for i, x := range s.Feat {
			if math.Abs(float64(x)) > 50 || x != x {
				t.Fatalf("feature value %d is %v", i, x)
			}
		}
	})
}

// TestEveryoneAppears: also where every place has to be taken by a newcomer,
// whatever the curve of arrivals.
func TestEveryoneAppears(t *testing.T) {
	for _, arrival := range []float64{.5, 1, 2} {
		for name, places := range map[string]int{"shop-sim": 1, "transfers-sim": 2} {
			p := small(t, name, 3_000)
			p.Users, p.Activity.Arrival = places*p.Events, arrival
			s := Generate(p, 1)
			last := slices.Max(s.Src)
			if !p.bipartite() {
				last = max(last, slices.Max(s.Dst))
			}
			if last != int32(p.Users-1) {
				t.Errorf("%s: %d of %d users appear with an exponent of %v", name, last+1, p.Users, arrival)
			}
		}
	}
}

// TestChunks: the windows of a stream are the stream, whatever their size,
// with the same event numbers.
func TestChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := small(t, rapid.SampledFrom(names()).Draw(t, "simulator"), 1_500)
		whole := Generate(p, 3)
		done := 0
		for c := range New(p, 3).Chunks(rapid.IntRange(1, 2_000).Draw(t, "size")) {
			part := whole.Slice(done, done+c.Len())
			if fingerprint(c) != fingerprint(part) || c.EventID(0) != done || c.NumNodes != whole.NumNodes || c.Users != whole.Users {
				t.Fatalf("the chunk at event %d differs from the stream", done)
			}
			done += c.Len()
		}
		if done != whole.Len() {
			t.Fatalf("%d events in chunks, %d in the stream", done, whole.Len())
		}
	})
}

// TestSeedsAndFeatures: a seed decides the stream; the number of features
// changes features only.
func TestSeedsAndFeatures(t *testing.T) {
	p := small(t, "shop-sim", 2_000)
	one := Generate(p, 1)
	if fingerprint(one) != fingerprint(Generate(p, 1)) {
		t.Error("the same seed gives another stream")
	}
	if fingerprint(one) == fingerprint(Generate(p, 2)) {
		t.Error("another seed gives the same stream")
	}
	p.Features = 3
	if fingerprint(one.WithFeatures(nil, 0)) != fingerprint(Generate(p, 1).WithFeatures(nil, 0)) {
		t.Error("the number of features changes the events")
	}
}

// TestMemory: a generator allocates nothing for further events.
func TestMemory(t *testing.T) {
	p := small(t, "mooc-sim", 300_000)
	g := New(p, 1)
	g.Next(1_000)
	if n := testing.AllocsPerRun(100, func() { g.Next(1_000) }); n > 0 {
		t.Errorf("%v allocations a chunk", n)
	}
}

// BenchmarkStream makes whole streams in chunks.
func BenchmarkStream(b *testing.B) {
	for _, name := range names() {
		b.Run(name, func(b *testing.B) {
			p := small(b, name, 150_000)
			p.Features = 7
			for b.Loop() {
				for range New(p, 1).Chunks(1_000) {
				}
			}
			b.ReportMetric(float64(p.Events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// TestSlowOutlivesBatches: about half of what the slow average knows lies further
// back than a batch of 200 events.
func TestSlowOutlivesBatches(t *testing.T) {
	const halfLife = 14 // events: keepSlow^14 is just below 1/2
	for _, name := range names() {
		p := small(t, name, 100_000)
		p.Features = 0
		s := Generate(p, 1)
		events := map[int32][]int{}
		var spans []int
		for k, u := range s.Src {
			if before := events[u]; len(before) >= halfLife {
				spans = append(spans, k-before[len(before)-halfLife])
			}
			events[u] = append(events[u], k)
		}
		slices.Sort(spans)
		if len(spans) == 0 || spans[len(spans)/2] <= 200 {
			t.Errorf("%s: a source's last %d events span %v events of the stream", name, halfLife, spans)
		}
	}
}
