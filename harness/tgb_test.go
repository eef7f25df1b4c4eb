package harness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/specs"
)

// tgbTrial returns the trial of the suite tgb-wiki with a rule of that name.
func tgbTrial(t *testing.T, ref string) specs.Trial {
	t.Helper()
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("tgb-wiki")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{Datasets: []string{"wikipedia-nofeat"}})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(trials, func(x specs.Trial) bool { return x.Ref() == ref })
	if i < 0 {
		t.Fatalf("the suite has no %s", ref)
	}
	return trials[i]
}

// TestTGBProtocol: EdgeBank's MRR in the suite tgb-wiki, against one that is computed
// here as TGB's code does: quantiles of the times, all destinations but those of the
// same source and time in the part, and the mean of the best and the worst rank.
func TestTGBProtocol(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const users, items, events = 40, 300, 3000
	s := datasets.NewStream(events, 0)
	s.NumNodes, s.Users = users+items, users
	now := 0.0
	for k := range events {
		if rng.IntN(8) > 0 { // else at the time of the event before, often of its source
			now += float64(rng.IntN(5))
			s.Src[k] = int32(rng.IntN(users))
		} else if k > 0 {
			s.Src[k] = s.Src[k-1]
		}
		s.Dst[k], s.Time[k] = int32(users+rng.IntN(items)), now
		if k < items { // every item is a destination
			s.Dst[k] = int32(users + k)
		} else if j := k - 1 - rng.IntN(40); rng.IntN(8) > 0 { // often a pair of not long ago
			s.Dst[k] = s.Dst[j]
			if s.Time[k] > s.Time[k-1] {
				s.Src[k] = s.Src[j]
			}
		}
	}
	quantile := func(q float64) float64 {
		at := q * (events - 1)
		below := math.Floor(at)
		return s.Time[int(below)] + (at-below)*(s.Time[int(below)+1]-s.Time[int(below)])
	}
	first := slices.IndexFunc(s.Time, func(x float64) bool { return x > quantile(.85) })
	type pair struct{ src, dst int32 }
	mrr := func(batch int) float64 {
		seen := map[pair]bool{}
		for k := range first {
			seen[pair{s.Src[k], s.Dst[k]}] = true
		}
		sum := 0.0
		for lo := first; lo < events; lo += batch {
			hi := min(lo+batch, events)
			for k := lo; k < hi; k++ {
				positives := map[int32]bool{}
				for j := first; j < events; j++ {
					if s.Src[j] == s.Src[k] && s.Time[j] == s.Time[k] {
						positives[s.Dst[j]] = true
					}
				}
				score := func(dst int32) int {
					if seen[pair{s.Src[k], dst}] {
						return 1
					}
					return 0
				}
				optimistic, pessimistic := 0, 0
				for dst := int32(users); dst < users+items; dst++ {
					if positives[dst] {
						continue
					}
					if score(dst) > score(s.Dst[k]) {
						optimistic++
					}
					if score(dst) >= score(s.Dst[k]) {
						pessimistic++
					}
				}
				sum += 1 / (.5*float64(optimistic+pessimistic) + 1)
			}
			for k := lo; k < hi; k++ {
				seen[pair{s.Src[k], s.Dst[k]}] = true
			}
		}
		return sum / float64(events-first)
	}
	d, err := datasets.Lookup("tgbl-wiki")
	if err != nil {
		t.Fatal(err)
	}
	got := zeroParameter(t, &datasets.Loaded{Dataset: d, Stream: s, Split: d.Split.Split(s)}, tgbTrial(t, "edgebank"), "mrr")
	for _, batch := range []int{200, 1} {
		place := fmt.Sprintf("test destinations evaluation-%d", batch)
		if want := mrr(batch); math.Abs(got[place]-want) > 1e-9 {
			t.Errorf("%s: %v, expected %v", place, got[place], want)
		}
	}
	if math.Abs(mrr(200)-mrr(1)) < .01 {
		t.Errorf("%.4f and %.4f: the stream tells little", mrr(200), mrr(1))
	}
}

// TestRealDataTGB: EdgeBank in the suite tgb-wiki has the values of TGB's leaderboard.
func TestRealDataTGB(t *testing.T) {
	l := realData(t, "wikipedia-nofeat")
	for ref, want := range map[string][2]float64{"edgebank": {.527, .495}, "edgebank+tw": {.600, .571}} {
		got := zeroParameter(t, l, tgbTrial(t, ref), "mrr")
		for i, split := range []string{"validation", "test"} {
			place := split + " destinations evaluation-200"
			if math.Abs(got[place]-want[i]) > 1e-3 {
				t.Errorf("%s, %s: %.4f, published %.3f", ref, place, got[place], want[i])
			}
		}
	}
}
