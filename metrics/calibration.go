package metrics

import "math"

// prepareBrier prepares the mean squared difference of the probability and the
// label (Brier, Monthly Weather Review 78, 1950; scikit-learn's
// brier_score_loss).
func prepareBrier(f Facts) Weighted {
	return meanOfLabelled(f, nil, func(p float64, label int8) float64 { return (p - float64(label)) * (p - float64(label)) })
}

// predicted and observed are the coordinates of a calibration curve.
func predicted(p float64, _ int8) float64    { return p }
func observed(p float64, label int8) float64 { return float64(label) + 0*p } // NaN without probabilities

// prepareGroup prepares the mean of a value over group n, from 1, of the given
// number of groups of labelled events in order of their score, all of one size but
// for events of one score, which are in the group of the middle one of them. The
// groups are those of all events: draws weight them.
func prepareGroup(n, groups int, value func(p float64, label int8) float64) func(Facts) Weighted {
	return func(f Facts) Weighted {
		events := newCurve(f).events
		in := make([]bool, f.Len())
		first := 0
		for i, event := range events {
			if i+1 < len(events) && f.Score[events[i+1]] == f.Score[event] {
				continue
			}
			below := len(events) - 1 - (first+i)/2 // of the middle event
			if below*groups/len(events) == n-1 {
				for _, event := range events[first : i+1] {
					in[event] = true
				}
			}
			first = i + 1
		}
		return meanOfLabelled(f, in, value)
	}
}

// meanOfLabelled prepares the mean of a value over labelled events, those of in
// or, if that is nil, all. Without log-odds there are no probabilities.
func meanOfLabelled(f Facts, in []bool, value func(p float64, label int8) float64) Weighted {
	var events []int32
	var values []float64
	for k, label := range f.Label {
		if label >= 0 && (in == nil || in[k]) {
			p := math.NaN()
			if f.LogOdds {
				p = 1 / (1 + math.Exp(-float64(f.Score[k])))
			}
			events, values = append(events, int32(k)), append(values, value(p, label))
		}
	}
	return func(weights []uint8) float64 {
		sum, n := 0.0, 0
		for i, k := range events {
			w := 1
			if weights != nil {
				w = int(weights[k])
			}
			sum, n = sum+float64(w)*values[i], n+w
		}
		return sum / float64(n) // NaN without events
	}
}
