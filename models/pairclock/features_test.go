package pairclock

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"

	"pgregory.net/rapid"
)

// scaledLog is log(1+x)/by.
func scaledLog(x, by float64) float64 { return math.Log1p(max(0, x)) / by }

// decayed is log of the sum of 2^(-age/halfLife) over events at times, over 5, and
// that of about .001 for a smaller one.
func decayed(times []float64, now, halfLife float64) float64 {
	sum := 0.
	for _, t := range times {
		sum += math.Exp2(-(now - t) / halfLife)
	}
	return max(math.Log(sum), -10*math.Ln2) / 5
}

// described returns the columns of a pair by their definitions, from all events.
func described(s datasets.Stream, o *Options, src, dst int32, now float64) (x []float64) {
	var ofSource, ofDestination, ofPair []int // events
	partners, sources := []int32{}, map[int32]bool{}
	stays, returns := 0, returned(s, dst)
	for k := range s.Len() {
		if s.Src[k] == src {
			if n := len(ofSource); n > 0 && s.Dst[ofSource[n-1]] == s.Dst[k] {
				stays++
			}
			ofSource = append(ofSource, k)
			partners = append(slices.DeleteFunc(partners, func(v int32) bool { return v == s.Dst[k] }), s.Dst[k])
		}
		if s.Dst[k] == dst {
			ofDestination = append(ofDestination, k)
			sources[s.Src[k]] = true
		}
		if s.Src[k] == src && s.Dst[k] == dst {
			ofPair = append(ofPair, k)
		}
	}
	at := func(events []int) (times []float64) {
		for _, k := range events {
			times = append(times, s.Time[k])
		}
		return times
	}
	since := func(events []int) float64 { return now - s.Time[events[len(events)-1]] }
	count := func(events []int) float64 { return float64(len(events)) }

	x = []float64{0, 0, 0, 0, 1}
	if len(ofSource) > 0 {
		x = []float64{scaledLog(since(ofSource), 10), scaledLog(count(ofSource), 4), float64(stays) / count(ofSource), scaledLog(float64(len(partners)), 4), 0}
	}
	if n := len(o.HalfLives); len(ofDestination) > 0 {
		x = append(x, scaledLog(since(ofDestination), 10))
		for _, h := range o.HalfLives {
			x = append(x, decayed(at(ofDestination), now, h))
		}
		x = append(x, scaledLog(count(ofDestination), 4), float64(returns)/count(ofDestination), scaledLog(float64(len(sources)), 4), 0)
	} else {
		x = append(append(x, make([]float64, n+4)...), 1)
	}
	x = append(x, float64(flag(slices.Contains(s.Src, dst))))
	if len(ofPair) > 0 {
		later, others := 0, 0
		for i, k := range ofSource {
			if k == ofPair[len(ofPair)-1] {
				later = len(ofSource) - 1 - i
			}
		}
		for i, v := range partners {
			if v == dst {
				others = len(partners) - 1 - i
			}
		}
		is := func(b bool) float64 { return float64(flag(b)) }
		x = append(x, 1, scaledLog(since(ofPair), 10), scaledLog(float64(others), 2), scaledLog(count(ofPair), 3),
			decayed(at(ofPair), now, o.PairHalfLife), count(ofPair)/count(ofSource), scaledLog(float64(later), 3),
			is(s.Src[ofDestination[len(ofDestination)-1]] == src), is(others == 0))
	} else {
		x = append(x, make([]float64, 9)...)
	}
	if len(ofSource) == 0 {
		return append(x, 0, 0, 0)
	}
	latest := s.Dst[ofSource[len(ofSource)-1]]
	followed, events := 0., 0.
	before := map[int32]int32{}
	for k := range s.Len() {
		if v, ok := before[s.Src[k]]; ok && v == latest && s.Dst[k] == dst && dst != latest {
			followed++
		}
		before[s.Src[k]] = s.Dst[k]
		events += float64(flag(s.Dst[k] == latest))
	}
	return append(x, scaledLog(followed, 3), followed/events, float64(returned(s, latest))/events)
}

// returned counts the events of a destination with the source of the event before.
func returned(s datasets.Stream, dst int32) (n int) {
	last := int32(-1)
	for k := range s.Len() {
		if s.Dst[k] != dst {
			continue
		}
		if s.Src[k] == last {
			n++
		}
		last = s.Src[k]
	}
	return n
}

// TestFeatures: rows are what their definitions say of all events before, also after
// a snapshot.
func TestFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 6
		o := Defaults()
		o.HalfLives = o.HalfLives[:rapid.IntRange(1, 3).Draw(t, "half-lives")]
		s := datasets.NewStream(rapid.IntRange(0, 40).Draw(t, "events"), 0)
		s.NumNodes = nodes
		rng, now := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), 1e5
		for k := range s.Len() {
			s.Src[k], s.Dst[k], s.Time[k] = rng.Int32N(nodes), rng.Int32N(nodes), now
			now += float64(rng.IntN(3)) * math.Exp(8*rng.Float64())
		}
		m := build(t, o, s, 1)
		for b := range s.Batches(7) {
			check(t, m.Observe(b))
		}
		other := build(t, o, s, 2)
		check(t, other.Restore(m.Snapshot(1)))
		all := []int32{3, 5, 0, 1, 4, 2}
		for src := range int32(nodes) {
			for _, m := range []*Model{m, other} {
				m.clocks.rows(src, now, all, m.x)
				for i, dst := range all {
					got := m.x[i*m.clocks.columns():][:m.clocks.columns()]
					want := described(s, o, src, dst, now)
					for c := range got {
						if len(want) != len(got) || math.Abs(float64(got[c])-want[c]) > 1e-5 {
							t.Fatalf("%d to %d, column %d: %v, expected %v", src, dst, c, got, want)
						}
					}
				}
			}
		}
	})
}
