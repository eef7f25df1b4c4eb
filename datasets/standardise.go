package datasets

import "math"

// standardise scales one feature of all events so that the events of train
// have mean 0 and standard deviation 1 (of the population: ddof 0). A
// feature that is constant there becomes 0. It returns the first event whose
// number is then too large for a float32, or -1.
func standardise(s, train Stream, feature int) (bad int) {
	mean, sd := moments(s, train, feature)
	for i := feature; i < len(s.Feat); i += s.NumFeat {
		if sd == 0 {
			s.Feat[i] = 0
		} else {
			s.Feat[i] = float32((float64(s.Feat[i]) - mean) / sd)
		}
		if notFinite(s.Feat[i : i+1]) {
			return i / s.NumFeat
		}
	}
	return -1
}

// moments are the mean and the standard deviation over the events of train,
// in float64. The deviation of equal values is exactly 0.
func moments(s, train Stream, feature int) (mean, sd float64) {
	n := float64(train.Len())
	lo, hi := math.Inf(1), math.Inf(-1)
	for k := range train.Len() {
		x := float64(s.Features(train.EventID(k))[feature])
		lo, hi = min(lo, x), max(hi, x)
		mean += x
	}
	if lo >= hi {
		return 0, 0
	}
	mean /= n
	sum := 0.0
	for k := range train.Len() {
		d := float64(s.Features(train.EventID(k))[feature]) - mean
		sum += d * d
	}
	return mean, math.Sqrt(sum / n)
}
