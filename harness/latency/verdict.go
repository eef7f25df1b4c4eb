package latency

import (
	"io"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// When a new build counts as slower.
const (
	// FewestAlternations that a verdict takes.
	FewestAlternations = 20

	slowerRatio = 1.15
	slowerP     = .01
)

// Verdict compares two builds on one model and dataset.
type Verdict struct {
	Dataset string    `json:"dataset"`
	Model   string    `json:"model"` // id or id+variant
	Old     []float64 `json:"old"`   // seconds of one iteration, one a pair
	New     []float64 `json:"new"`
	// OldMachine and NewMachine are what the builds say of it and of their
	// kernels.
	OldMachine string  `json:"old_machine"`
	NewMachine string  `json:"new_machine"`
	Ratio      float64 `json:"ratio"` // the median over pairs of new by old
	// P is that of the sign test: how likely the new build is the slower one
	// in as many pairs by chance.
	P      float64 `json:"p"`
	Slower bool    `json:"slower"` // by so much that it fails
}

// WriteVerdicts writes them as JSON.
func WriteVerdicts(w io.Writer, all []Verdict) error { return writeJSON(w, all) }

// judge makes the verdict of what was measured in pairs.
func judge(v Verdict) Verdict {
	var ratios []float64
	slower, differ := 0, 0
	for i, old := range v.Old {
		ratios = append(ratios, v.New[i]/old)
		if v.New[i] != old {
			differ++
		}
		if v.New[i] > old {
			slower++
		}
	}
	v.Ratio, v.P = middle(ratios), signTest(slower, differ)
	v.Slower = len(ratios) >= FewestAlternations && v.Ratio >= slowerRatio && v.P < slowerP
	return v
}

// signTest is the chance of at least k heads in n throws of a coin.
func signTest(k, n int) float64 {
	if k == 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(n), P: .5}.CDF(float64(k-1))
}

// middle is the median, the mean of the two in the middle where there are two.
func middle(values []float64) float64 {
	low := median(values)
	negated := make([]float64, len(values))
	for i, v := range values {
		negated[i] = -v
	}
	return stat.Mean([]float64{low, -median(negated)}, nil)
}
