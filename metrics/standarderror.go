package metrics

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// HanleyMcNeil is the standard error of an AUC from the numbers of positives
// and negatives alone (Hanley and McNeil, Radiology 143, 1982). It is NaN
// without positives or negatives.
func HanleyMcNeil(auc float64, positives, negatives int) float64 {
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	p, n := float64(positives), float64(negatives)
	q1, q2 := auc/(2-auc), 2*auc*auc/(1+auc)
	variance := (auc*(1-auc) + (p-1)*(q1-auc*auc) + (n-1)*(q2-auc*auc)) / (p * n)
	return math.Sqrt(max(variance, 0)) // rounding can leave it below 0
}

// DeLong is the standard error of the AUC of classification facts (DeLong,
// DeLong and Clarke-Pearson, Biometrics 44, 1988): the spread, over
// positives, of the share of negatives that each beats, and over negatives
// of the share of positives that beat it, ties counting half. It is NaN with
// fewer than two positives or negatives.
func DeLong(f Facts) float64 {
	p, n := float64(f.Positives()), float64(f.Negatives())
	if p < 2 || n < 2 {
		return math.NaN()
	}
	// Events of one threshold have the same share: it counts as many times.
	var shares, counts [2][]float64
	var at, above [2]float64 // events of either class, at a threshold and above it
	for _, point := range newCurve(f) {
		at[point.label]++
		if !point.last {
			continue
		}
		shares[1] = append(shares[1], (n-above[0]-at[0]/2)/n)
		shares[0] = append(shares[0], (above[1]+at[1]/2)/p)
		counts[1], counts[0] = append(counts[1], at[1]), append(counts[0], at[0])
		above[0], above[1] = above[0]+at[0], above[1]+at[1]
		at = [2]float64{}
	}
	return math.Sqrt(stat.Variance(shares[1], counts[1])/p + stat.Variance(shares[0], counts[0])/n)
}
