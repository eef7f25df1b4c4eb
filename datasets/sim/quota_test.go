package sim

import (
	"math"
	"slices"
	"testing"

	"dgsbench/datasets"
)

// TestScaledLabels: below scale 1 every part has both classes at about the
// same rate, the test part has its positives, and the signal still decides
// which events they are.
func TestScaledLabels(t *testing.T) {
	const (
		maxEvents = 40_000 // of the streams tried here
		// fi-a-sim, whose accounts have few events, has 0.75 at scale 1 and
		// 0.69 at its smallest, where quotas of 13 in 26 cost the most.
		leastAUC = .65
	)
	for _, s := range Simulators {
		least := s.smallest()
		for _, scale := range []float64{least, 1.2 * least, 1.5 * least, 2 * least, 4 * least, 0.05, 0.1, 0.5} {
			if scale < least || scale >= 1 || scale*float64(s.Params.Events) > maxEvents {
				continue
			}
			p, err := s.Scaled(scale)
			if err != nil {
				t.Error(err)
				continue
			}
			p.Features = 0 // they decide nothing
			stream := Generate(p, Seed)
			split := s.Split.Split(stream)
			for _, part := range [][2]int{{0, split.TrainEnd}, {split.TrainEnd, split.ValEnd}, {split.ValEnd, p.Events}} {
				if n := stream.Slice(part[0], part[1]).Counts().Positives; n == 0 || n == part[1]-part[0] {
					t.Errorf("%s@%v: %d positives in events %v", s.Name, scale, n, part)
				}
			}
			test := stream.Slice(split.ValEnd, p.Events)
			n := test.Counts().Positives
			whole, rate := float64(p.Positives)/float64(p.Events), float64(n)/float64(test.Len())
			if n < fewestPositives || math.Abs(rate-whole) > .25*whole {
				t.Errorf("%s@%v: %d positives in the test part, a rate of %.3f; %.3f in all", s.Name, scale, n, rate, whole)
			}
			if auc := signal(test); auc < leastAUC {
				t.Errorf("%s@%v: the log-odds have an AUC of %.3f", s.Name, scale, auc)
			}
		}
	}
}

// signal is the AUC of the true log-odds.
func signal(s datasets.Stream) float64 {
	var negatives, positives []float64
	for k, label := range s.Label {
		if z := s.Truth.Logit(s.EventID(k)); label == 1 {
			positives = append(positives, z)
		} else {
			negatives = append(negatives, z)
		}
	}
	slices.Sort(negatives)
	below := 0
	for _, z := range positives {
		at, _ := slices.BinarySearch(negatives, z)
		below += at
	}
	return float64(below) / float64(len(negatives)*len(positives))
}

// TestQuotas: every window has its share of the positives, exactly.
func TestQuotas(t *testing.T) {
	p := small(t, "wikipedia-sim", 10_000)
	p.Terminal, p.Positives, p.Labels.Quotas = false, 2_500, quotas
	s := Generate(p, 1)
	for first := 0; first < p.Events; first += p.Events / quotas {
		if n := s.Slice(first, first+p.Events/quotas).Counts().Positives; n != p.Positives/quotas {
			t.Errorf("%d positives in the window from event %d, expected %d", n, first, p.Positives/quotas)
		}
	}
}
