package metrics

import (
	"math"
	"slices"
)

// curve holds the labelled events from the highest score down. Events of
// equal score share one threshold: they are taken together.
type curve []point

type point struct {
	event int32
	label int8
	last  bool // of its threshold
}

func newCurve(f Facts) curve {
	if f.Order != nil {
		return f.Order.curve
	}
	keys := make([]uint64, 0, len(f.Label)) // in the order of events
	for k, label := range f.Label {
		if label >= 0 {
			keys = append(keys, uint64(^ascending(f.Score[k]))<<32|uint64(k))
		}
	}
	slices.Sort(keys)
	c := make(curve, len(keys))
	for i, key := range keys {
		event := int32(uint32(key))
		c[i] = point{event: event, label: f.Label[event], last: i == len(keys)-1 || key>>32 != keys[i+1]>>32}
	}
	return c
}

// ascending returns a number for x that is in the same order, and the same for both zeros.
func ascending(x float32) uint32 {
	bits := math.Float32bits(x + 0) // turns -0 into 0
	if bits>>31 == 1 {
		return ^bits
	}
	return bits | 1<<31
}

// prepareAUC prepares the probability that a random positive scores above a
// random negative, ties counting half (mid-ranks).
func prepareAUC(f Facts) Weighted {
	c := newCurve(f)
	return func(weights []int32) float64 {
		if weights == nil {
			weights = slices.Repeat([]int32{1}, len(f.Label))
		}
		var at0, at1, above0, above1 int64 // events of either class, at a threshold and above it
		var pairs int64                    // twice the number of correctly ordered pairs, so that ties are whole numbers
		for _, p := range c {
			negatives, positives := p.split(weights)
			at0, at1 = at0+negatives, at1+positives
			if p.last {
				pairs += at0 * (2*above1 + at1)
				above0, above1, at0, at1 = above0+at0, above1+at1, 0, 0
			}
		}
		if above0 == 0 || above1 == 0 {
			return math.NaN()
		}
		return float64(pairs) / 2 / float64(above0) / float64(above1)
	}
}

// split returns the weight of the event in either class. It needs neither a branch nor
// an array by the label, so sums of it stay in registers.
func (p point) split(weights []int32) (negatives, positives int64) {
	w := int64(weights[p.event])
	positives = w & -int64(p.label)
	return w - positives, positives
}

// prepareAP prepares the average precision: the sum over thresholds, from the top,
// of the gain in recall times the precision there, without interpolation.
// (The definition of scikit-learn's average_precision_score.)
func prepareAP(f Facts) Weighted {
	c := newCurve(f)
	return func(weights []int32) float64 {
		if weights == nil {
			weights = slices.Repeat([]int32{1}, len(f.Label))
		}
		var at1, upTo0, upTo1 int64 // positives at a threshold; events of either class at it and above
		sum := 0.0
		for _, p := range c {
			negatives, positives := p.split(weights)
			at1, upTo0, upTo1 = at1+positives, upTo0+negatives, upTo1+positives
			if p.last {
				sum += float64(at1) * float64(upTo1) / float64(max(upTo0+upTo1, 1)) // all may have the weight 0
				at1 = 0
			}
		}
		if upTo0 == 0 || upTo1 == 0 {
			return math.NaN()
		}
		return sum / float64(upTo1)
	}
}

// prepareTotals prepares the number of events of either class. The positives are
// few as a rule: the negatives are the rest.
func prepareTotals(labels []int8) func(weights []int32) (all [2]int64) {
	var positives, unlabelled []int32
	for k, label := range labels {
		switch {
		case label < 0:
			unlabelled = append(unlabelled, int32(k))
		case label == 1:
			positives = append(positives, int32(k))
		}
	}
	return func(weights []int32) (all [2]int64) {
		if weights == nil {
			return [2]int64{int64(len(labels) - len(positives) - len(unlabelled)), int64(len(positives))}
		}
		for _, k := range positives {
			all[1] += int64(weights[k])
		}
		all[0] = -all[1]
		for _, k := range unlabelled {
			all[0] -= int64(weights[k])
		}
		for _, w := range weights {
			all[0] += int64(w)
		}
		return all
	}
}

// eachThreshold calls f with the events of either class at a threshold and above
// it, from the highest threshold down, until f returns false.
func (c curve) eachThreshold(weights []int32, f func(at, above [2]int64) bool) {
	var at, above [2]int64
	for _, p := range c {
		if weights == nil {
			at[p.label]++
		} else {
			at[p.label] += int64(weights[p.event])
		}
		if !p.last {
			continue
		}
		if !f(at, above) {
			return
		}
		above[0], above[1] = above[0]+at[0], above[1]+at[1]
		at = [2]int64{}
	}
}

// slack is the error of a share of a number of events, relative to it.
const slack = 1e-12

// along sets values to those of a curve at rates in per cent, ascending.
type along func(c curve, all [2]int64, weights []int32, rates, values []float64)

// at prepares the value at one rate.
func (a along) at(rate float64) func(Facts) Weighted {
	return func(f Facts) Weighted {
		c, totals := newCurve(f), prepareTotals(f.Label)
		return func(weights []int32) float64 {
			value := []float64{math.NaN()}
			if all := totals(weights); all[0] > 0 && all[1] > 0 {
				a(c, all, weights, []float64{rate}, value)
			}
			return value[0]
		}
	}
}

// ROC returns the recalls at one or more rates of false positives, in per cent and
// ascending. The facts must have both classes.
func ROC(f Facts, rates []float64) []float64 {
	values := make([]float64, len(rates))
	recallAtFPR(newCurve(f), prepareTotals(f.Label)(nil), nil, rates, values)
	return values
}

// PrecisionRecall returns the precisions at one or more recalls above 0, in per cent
// and ascending. The facts must have both classes.
func PrecisionRecall(f Facts, recalls []float64) []float64 {
	values := make([]float64, len(recalls))
	precisionAtRecall(newCurve(f), prepareTotals(f.Label)(nil), nil, recalls, values)
	return values
}

// recallAtFPR sets values to the shares of positives above the thresholds at which
// these shares of the negatives are: points of the ROC, whose ends of one threshold
// are connected by straight lines, as for the AUC.
func recallAtFPR(c curve, all [2]int64, weights []int32, rates, values []float64) {
	allowed := func(i int) float64 { return rates[i] / 100 * float64(all[0]) * (1 + slack) }
	next, most := 0, allowed(0)
	c.eachThreshold(weights, func(at, above [2]int64) bool {
		for float64(above[0]+at[0]) > most {
			values[next] = (float64(above[1]) + float64(at[1])*(most-float64(above[0]))/float64(at[0])) / float64(all[1])
			if next++; next == len(rates) {
				return false
			}
			most = allowed(next)
		}
		return true
	})
	for ; next < len(rates); next++ {
		values[next] = 1
	}
}

// precisionAtRecall sets values to the precisions where these shares of the positives
// are found, or the next whole number of them. Of the events of the last threshold
// as many of either class are taken as on average in a random order.
func precisionAtRecall(c curve, all [2]int64, weights []int32, recalls, values []float64) {
	wanted := func(i int) float64 { return math.Ceil(recalls[i] / 100 * float64(all[1]) * (1 - slack)) }
	next, least := 0, wanted(0)
	c.eachThreshold(weights, func(at, above [2]int64) bool {
		for float64(above[1]+at[1]) >= least {
			negatives := float64(above[0]) + float64(at[0])*(least-float64(above[1]))/float64(at[1])
			values[next] = least / (least + negatives)
			if next++; next == len(recalls) {
				return false
			}
			least = wanted(next)
		}
		return true
	})
}
