package metrics

import "math"

// prepareDailyPrecision prepares the share of positives among the k labelled events
// of each day that score highest: what a team finds that can look at k events a
// day. All days count together. A day with fewer events is taken as a whole, and
// of the events that are level at the end of the list as many of either class
// are taken as on average in a random order.
func prepareDailyPrecision(k float64) func(Facts) Weighted {
	return func(f Facts) Weighted {
		type day struct {
			curve
			begin, end int
		}
		var days []day
		for d := range f.Days {
			begin, end := f.span(d+1, d+1)
			days = append(days, day{newCurve(f.OfDays(d+1, d+1)), begin, end})
		}
		totals := prepareTotals(f.Label)
		return func(weights []uint8) float64 {
			if all := totals(weights); all.negatives == 0 || all.positives == 0 {
				return math.NaN()
			}
			taken, found := 0.0, 0.0
			for _, d := range days {
				d.eachGroup(between(weights, d.begin, d.end), func(at, above classes) bool {
					left, level := k-float64(above.negatives+above.positives), float64(at.negatives+at.positives)
					if level <= left {
						taken, found = taken+level, found+float64(at.positives)
						return true
					}
					taken, found = taken+left, found+float64(at.positives)*left/level
					return false
				})
			}
			return found / taken // NaN without days
		}
	}
}

// prepareDailyAUC prepares the AUC of the events of days n to m, counted from 1.
func prepareDailyAUC(n, m int) func(Facts) Weighted {
	return func(f Facts) Weighted {
		begin, end := f.span(n, m)
		auc := prepareAUC(f.OfDays(n, m))
		return func(weights []uint8) float64 { return auc(between(weights, begin, end)) }
	}
}

// between returns the weights of a range of events; nil stays nil.
func between(weights []uint8, begin, end int) []uint8 {
	if weights == nil {
		return nil
	}
	return weights[begin:end]
}
