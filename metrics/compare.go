package metrics

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate holds a model's values of a metric.
type Estimate struct {
	Seeds []float64 // on all events, one value per seed
	Draws []float64 // the mean over seeds on each draw of events, as Bootstrap returns it
	// Exact is set if nothing in the model is random: its seeds add no error.
	Exact bool
}

// Difference is the difference of two models' means. Numbers that cannot be
// known are NaN.
type Difference struct {
	Mean      float64
	Low, High float64 // 95% interval
	P         float64 // two-sided, of the hypothesis that there is no difference
}

// Compare tests the difference of a and b on the same events. Two sources of
// uncertainty add up their variances: which events were tested (the variance of
// the paired draws) and which seeds were run (the variance of the mean over
// seeds, of each model by itself). The difference over the square root of the sum
// follows a t distribution with Welch's and Satterthwaite's degrees of freedom,
// in which the events count as known: few seeds, or seeds that spread widely,
// make it wide.
//
// A p-value computed from the draws alone could not fall below 2/(NumDraws+1),
// too large for tables of many models once Holm has adjusted it.
//
// Draws that leave the metric of either undefined are left out. A single seed
// of a model that is not exact has no variance: the interval and the p-value are
// NaN.
func Compare(a, b Estimate) Difference {
	d := Difference{Mean: stat.Mean(a.Seeds, nil) - stat.Mean(b.Seeds, nil)}
	varA, varB := a.seedVariance(), b.seedVariance()
	variance := pairedVariance(a.Draws, b.Draws) + varA + varB
	if variance == 0 && d.Mean != 0 { // all draws are equal, so there is no variance to test against
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

// seedVariance returns the variance of the mean over seeds.
func (e Estimate) seedVariance() float64 {
	if e.Exact {
		return 0
	}
	return stat.Variance(e.Seeds, nil) / float64(len(e.Seeds)) // NaN of a single one
}

// perFreedom returns a term of Welch's and Satterthwaite's denominator.
func perFreedom(variance float64, seeds int) float64 {
	if variance == 0 {
		return 0
	}
	return variance * variance / float64(seeds-1)
}

// pairedVariance returns the variance of the differences, draw by draw.
func pairedVariance(a, b []float64) float64 {
	var differences []float64
	for d := range a {
		if x := a[d] - b[d]; !math.IsNaN(x) {
			differences = append(differences, x)
		}
	}
	return stat.Variance(differences, nil)
}

// manyFreedom are the degrees of freedom from which on the t distribution equals
// the normal one to six digits.
const manyFreedom = 1e6

// studentsT returns the t distribution, or the normal one where nothing limits
// the degrees of freedom.
func studentsT(freedom float64) interface {
	CDF(float64) float64
	Quantile(float64) float64
} {
	if freedom < manyFreedom {
		return distuv.StudentsT{Sigma: 1, Nu: freedom}
	}
	return distuv.UnitNormal
}

// Holm adjusts the p-values of tests that are read together, so that the
// probability of even one false positive among them stays below the level that
// the adjusted values are compared with (Holm, Scandinavian Journal of Statistics
// 6, 1979: step-down Bonferroni). The tests may depend on each other. NaN stays
// NaN and does not count as a test.
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	var tests []int // from the smallest p-value up
	for i := range p {
		if !math.IsNaN(p[i]) {
			tests = append(tests, i)
		}
	}
	slices.SortStableFunc(tests, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	least := 0.0 // adjusted values do not fall from one test to the next
	for rank, i := range tests {
		least = max(least, min(1, float64(len(tests)-rank)*p[i]))
		adjusted[i] = least
	}
	return adjusted
}
