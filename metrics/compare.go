package metrics

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is what is known of a model's value of a metric.
type Estimate struct {
	Seeds []float64 // on all events, one value a seed
	Draws []float64 // the mean over seeds on each draw of events, as Bootstrap gives it
	// Exact says that nothing in the model is random: its seeds add no error.
	Exact bool
}

// Difference is by how much one model's mean lies above another's. The
// numbers are NaN where they cannot be known.
type Difference struct {
	Mean      float64
	Low, High float64 // 95% interval
	P         float64 // two-sided, of the hypothesis that there is none
}

// Compare judges the difference of a and b on the same events. Two things
// make it uncertain, and their variances add up: which events were tested
// (the variance of the paired draws) and which seeds were run (the variance
// of the mean over seeds, of each model by itself). The difference over the
// square root of the sum follows a t distribution with Welch's and
// Satterthwaite's degrees of freedom, in which the events count as known: few
// seeds, or seeds that spread widely, make it wide.
//
// A p-value read off the draws alone could not fall below 2/(NumDraws+1), too
// much for tables of many models once Holm has adjusted it.
//
// Draws that leave the metric of either undefined are left out. A single seed
// of a model that is not exact says nothing about others: the interval and
// the p-value are NaN.
func Compare(a, b Estimate) Difference {
	d := Difference{Mean: stat.Mean(a.Seeds, nil) - stat.Mean(b.Seeds, nil)}
	varA, varB := a.seedVariance(), b.seedVariance()
	variance := pairedVariance(a.Draws, b.Draws) + varA + varB
	if variance == 0 && d.Mean != 0 { // as of a single event: nothing to judge by
		variance = math.NaN()
	}
	freedom := variance * variance / (perFreedom(varA, len(a.Seeds)) + perFreedom(varB, len(b.Seeds)))
	t := studentsT(freedom)
	margin := t.Quantile(0.975) * math.Sqrt(variance)
	d.Low, d.High = d.Mean-margin, d.Mean+margin
	d.P = 2 * t.CDF(-math.Abs(d.Mean)/math.Sqrt(variance))
	if variance == 0 {
		d.P = 1
	}
	return d
}

// seedVariance is the variance of the mean over seeds.
func (e Estimate) seedVariance() float64 {
	if e.Exact {
		return 0
	}
	return stat.Variance(e.Seeds, nil) / float64(len(e.Seeds)) // NaN of a single one
}

// perFreedom is a term of Welch's and Satterthwaite's denominator.
func perFreedom(variance float64, seeds int) float64 {
	if variance == 0 {
		return 0
	}
	return variance * variance / float64(seeds-1)
}

// pairedVariance is the variance of the differences draw by draw.
func pairedVariance(a, b []float64) float64 {
	var differences []float64
	for d := range a {
		if x := a[d] - b[d]; !math.IsNaN(x) {
			differences = append(differences, x)
		}
	}
	return stat.Variance(differences, nil)
}

// manyFreedom are degrees of freedom from which the t distribution is the
// normal one to six digits.
const manyFreedom = 1e6

// studentsT is the t distribution, the normal one where nothing limits the
// degrees of freedom.
func studentsT(freedom float64) interface {
	CDF(float64) float64
	Quantile(float64) float64
} {
	if freedom < manyFreedom {
		return distuv.StudentsT{Sigma: 1, Nu: freedom}
	}
	return distuv.UnitNormal
}
