package metrics

import (
	"math"
	"slices"
	"sync"
)

// curve holds the labelled events from the highest score down. Events of
// equal score share one threshold: they are taken together, negatives first.
type curve struct {
	events []int32
	groups []group
}

// group is one threshold with positives, or a run of thresholds without any: the events
// up to negatives are its negatives, and those from there to end its positives.
type group struct{ negatives, end int32 }

func newCurve(f Facts) curve {
	if f.Order != nil {
		return f.Order.curve
	}
	keys := make([]uint64, 0, len(f.Label)) // in the order of scores, classes and events
	for k, label := range f.Label {
		if label >= 0 {
			keys = append(keys, uint64(^ascending(f.Score[k]))<<32|uint64(label)<<31|uint64(k))
		}
	}
	slices.Sort(keys)
	c, positives := curve{events: make([]int32, len(keys))}, int32(0)
	for i, key := range keys {
		event, last := int32(key&math.MaxInt32), i == len(keys)-1 || key>>32 != keys[i+1]>>32
		c.events[i], positives = event, positives+int32(key>>31&1)
		end, n := int32(i+1), len(c.groups)-1
		switch {
		case !last:
		case positives == 0 && n >= 0 && c.groups[n].negatives == c.groups[n].end:
			c.groups[n] = group{end, end}
		default:
			c.groups, positives = append(c.groups, group{end - positives, end}), 0
		}
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
	return func(weights []uint8) float64 {
		var pairs int64 // twice the number of correctly ordered pairs, so that ties are whole numbers
		all := c.eachGroup(weights, func(at, above classes) bool {
			pairs += at.negatives * (2*above.positives + at.positives)
			return true
		})
		if all.negatives == 0 || all.positives == 0 {
			return math.NaN()
		}
		return float64(pairs) / 2 / float64(all.negatives) / float64(all.positives)
	}
}

// prepareAP prepares the average precision: the sum over thresholds, from the top,
// of the gain in recall times the precision there, without interpolation.
// (The definition of scikit-learn's average_precision_score.)
func prepareAP(f Facts) Weighted {
	c := newCurve(f)
	return func(weights []uint8) float64 {
		sum := 0.0
		all := c.eachGroup(weights, func(at, above classes) bool {
			found := above.positives + at.positives
			sum += float64(at.positives) * float64(found) / float64(max(above.negatives+at.negatives+found, 1)) // all may have the weight 0
			return true
		})
		if all.negatives == 0 || all.positives == 0 {
			return math.NaN()
		}
		return sum / float64(all.positives)
	}
}

// prepareTotals prepares the number of events of either class. The positives are
// few as a rule: the negatives are the rest.
func prepareTotals(labels []int8) func(weights []uint8) (all classes) {
	var positives, unlabelled []int32
	for k, label := range labels {
		switch {
		case label < 0:
			unlabelled = append(unlabelled, int32(k))
		case label == 1:
			positives = append(positives, int32(k))
		}
	}
	return func(weights []uint8) (all classes) {
		if weights == nil {
			return classes{int64(len(labels) - len(positives) - len(unlabelled)), int64(len(positives))}
		}
		for _, k := range positives {
			all.positives += int64(weights[k])
		}
		all.negatives = -all.positives
		for _, k := range unlabelled {
			all.negatives -= int64(weights[k])
		}
		for _, w := range weights {
			all.negatives += int64(w)
		}
		return all
	}
}

// classes are the weights of events of either class.
type classes struct{ negatives, positives int64 }

// eachGroup calls f with the weights of a group and of what is above it, from the
// highest threshold down, until f returns false. It returns the sums over all groups that
// f was called with.
func (c curve) eachGroup(weights []uint8, f func(at, above classes) bool) (all classes) {
	sums := slicesOfSums.Get().(*[]int32)
	defer slicesOfSums.Put(sums)
	*sums = slices.Grow(append((*sums)[:0], 0), len(c.events))
	upTo, first := *sums, int32(0)
	for _, g := range c.groups {
		for len(upTo) <= int(g.end) {
			upTo = c.extend(upTo, weights)
		}
		at, above := classes{int64(upTo[g.negatives] - first), int64(upTo[g.end] - upTo[g.negatives])}, all
		all, first = classes{above.negatives + at.negatives, above.positives + at.positives}, upTo[g.end]
		if !f(at, above) {
			break
		}
	}
	return all
}

var slicesOfSums = sync.Pool{New: func() any { return new([]int32) }}

// extend appends the sums of the weights up to each of the next events, some of them;
// without weights each event counts 1. Sums up to every event, and not of each group,
// need no branches that depend on labels.
func (c curve) extend(upTo []int32, weights []uint8) []int32 {
	first := len(upTo) - 1
	events := c.events[first:min(first+1024, len(c.events))]
	sum, more := upTo[first], upTo[len(upTo):len(upTo)+len(events)]
	for i, event := range events {
		if weights == nil {
			sum++
		} else {
			sum += int32(weights[event])
		}
		more[i] = sum
	}
	return upTo[:len(upTo)+len(events)]
}

// slack is the error of a share of a number of events, relative to it.
const slack = 1e-12

// along sets values to those of a curve at rates in per cent, ascending.
type along func(c curve, all classes, weights []uint8, rates, values []float64)

// at prepares the value at one rate.
func (a along) at(rate float64) func(Facts) Weighted {
	return func(f Facts) Weighted {
		c, totals := newCurve(f), prepareTotals(f.Label)
		return func(weights []uint8) float64 {
			value := []float64{math.NaN()}
			if all := totals(weights); all.negatives > 0 && all.positives > 0 {
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
func recallAtFPR(c curve, all classes, weights []uint8, rates, values []float64) {
	allowed := func(i int) float64 { return rates[i] / 100 * float64(all.negatives) * (1 + slack) }
	next, most := 0, allowed(0)
	c.eachGroup(weights, func(at, above classes) bool {
		for float64(above.negatives+at.negatives) > most {
			values[next] = (float64(above.positives) + float64(at.positives)*(most-float64(above.negatives))/float64(at.negatives)) / float64(all.positives)
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
func precisionAtRecall(c curve, all classes, weights []uint8, recalls, values []float64) {
	wanted := func(i int) float64 { return math.Ceil(recalls[i] / 100 * float64(all.positives) * (1 - slack)) }
	next, least := 0, wanted(0)
	c.eachGroup(weights, func(at, above classes) bool {
		for float64(above.positives+at.positives) >= least {
			negatives := float64(above.negatives) + float64(at.negatives)*(least-float64(above.positives))/float64(at.positives)
			values[next] = least / (least + negatives)
			if next++; next == len(recalls) {
				return false
			}
			least = wanted(next)
		}
		return true
	})
}
