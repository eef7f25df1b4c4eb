package sim

import (
	"math"
	"testing"

	"dgsbench/datasets"
)

// everyone lists all nodes.
func everyone(s datasets.Stream) []int32 {
	out := make([]int32, s.NumNodes)
	for v := range out {
		out[v] = int32(v)
	}
	return out
}

// TestLinkTruth: before every event the probabilities of all nodes add up to
// 1, and of the events that are expected with probability p, a share of p
// happens. All accounts that have not appeared are alike.
func TestLinkTruth(t *testing.T) {
	streams := map[string]Params{}
	for _, name := range names() {
		streams[name] = small(t, name, 4_000)
	}
	moving := small(t, "shop-sim", 4_000) // four items of which another one is in front at every event
	moving.Items, moving.Links = 4, Links{Explore: 1, Topics: 1, Skew: 1, Epoch: 1}
	streams["moving"] = moving
	for name, p := range streams {
		s := Generate(p, 1)
		arrived := int32(0)
		all, scores := everyone(s), make([]float32, s.NumNodes)
		var expected, hits, variance [10]float64
		for k := range s.Len() {
			s.Truth.Links(k, all, scores)
			total := 0.0
			for v, x := range scores {
				total += float64(x)
				bin := min(int(10*x), 9)
				expected[bin] += float64(x)
				variance[bin] += float64(x * (1 - x))
				if s.Dst[k] == int32(v) {
					hits[bin]++
				}
			}
			if total > 1+1e-5 || s.Users > 0 && total < 1-1e-5 {
				t.Fatalf("%s: before event %d the probabilities add up to %v", name, k, total)
			}
			if scores[s.Dst[k]] == 0 {
				t.Fatalf("%s: event %d was impossible", name, k)
			}
			if s.Users == 0 {
				arrived = max(arrived, s.Src[k]+1)
				if to := s.Dst[k]; to == arrived && scores[to] != scores[s.NumNodes-1] {
					t.Fatalf("%s: event %d has a newcomer of chance %v, where the last one has %v", name, k, scores[to], scores[s.NumNodes-1])
				}
				arrived = max(arrived, s.Dst[k]+1)
			}
		}
		for bin := range expected {
			// An account's own share of what it explores is not spread over the
			// others: see truth.chance.
			lost := 0.0
			if s.Users == 0 {
				lost = .02 * float64(s.Len())
			}
			if math.Abs(hits[bin]-expected[bin]) > 5*math.Sqrt(variance[bin])+lost+1 {
				t.Errorf("%s: %.0f events with a probability around %.2f, expected %.0f", name, hits[bin], .1*float64(bin)+.05, expected[bin])
			}
		}
	}
}

// TestLabelTruth: the log-odds are those of the labels, up to the correction
// that makes their number exact.
func TestLabelTruth(t *testing.T) {
	for _, name := range []string{"shop-sim", "transfers-sim", "fi-b-sim"} {
		s := Generate(small(t, name, 30_000), 1)
		var expected, positive, variance [10]float64
		for k := range s.Len() {
			p := 1 / (1 + math.Exp(-s.Truth.Logit(k)))
			bin := int(10 * p)
			expected[bin] += p
			variance[bin] += p * (1 - p)
			positive[bin] += float64(s.Label[k])
		}
		for bin := range expected {
			if math.Abs(positive[bin]-expected[bin]) > 5*math.Sqrt(variance[bin])+.05*expected[bin]+1 {
				t.Errorf("%s: %.0f positives with a probability around %.2f, expected %.0f", name, positive[bin], .1*float64(bin)+.05, expected[bin])
			}
		}
	}
}

// TestTruthSurvives: windows and selections ask by the event's number within
// the whole stream.
func TestTruthSurvives(t *testing.T) {
	s := Generate(small(t, "shop-sim", 1_000), 1)
	want := s.Truth.Logit(700)
	for what, part := range map[string]datasets.Stream{
		"Slice":                  s.Slice(650, 900).Slice(50, 60),
		"Select":                 s.Select([]int{3, 700, 800}).Slice(1, 2),
		"Slice and WithFeatures": s.Slice(700, 702).WithFeatures(nil, 0),
	} {
		if part.Truth == nil || part.Truth.Logit(part.EventID(0)) != want {
			t.Errorf("%s: the truth of event 700 is lost", what)
		}
	}
}
