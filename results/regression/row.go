package regression

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// Test is how a row is tested.
type Test string

// The tests.
const (
	Exact       Test = "exact"       // the same bits of every seed
	Permutation Test = "permutation" // whether the seeds could be of one distribution
	Tolerance   Test = "tolerance"   // of values without seeds
)

// Alpha is the chance of a false alarm among all permutation tests of a
// comparison.
const Alpha = 0.01

// draws is how many splits of more than ten seeds a side are tried: with them,
// p-values of 1e-5 and 1e-4 can still be distinguished.
const draws = 1_000_000

// Row is one metric of one cell, before and now.
type Row struct {
	record.CellKey
	Candidates protocol.CandidateSet `json:"candidates"` // empty for nc
	Metric     string                `json:"metric"`
	Old        optional.Number       `json:"old"` // mean over seeds
	New        optional.Number       `json:"new"`
	Test       Test                  `json:"test"`
	P          optional.Number       `json:"p"`          // of a permutation test
	Adjusted   optional.Number       `json:"p_adjusted"` // by Holm, over all rows
	Moved      bool                  `json:"moved"`

	limit         Limit
	before, after []optional.Number // of a permutation test
}

// testRows does the permutation tests of all rows. It is an error if they could
// not find anything, and nothing else has been found.
func (r *Outcome) testRows() error {
	stream := func() *rand.Rand { return rand.New(rand.NewPCG(1, 0)) } // fixed: an outcome follows from its inputs
	p := make([]float64, len(r.Rows))
	least, tests := 1.0, 0
	for i, row := range r.Rows {
		p[i] = math.NaN()
		if row.Test == Permutation {
			p[i] = metrics.PermutationTest(floats(row.before), floats(row.after), draws, stream())
			least, tests = min(least, leastP(len(row.before), len(row.after))), tests+1
		}
	}
	if tests > 0 && least*float64(tests) >= Alpha && len(r.Findings) == 0 {
		return fmt.Errorf("too few seeds for a statistical comparison: with these, no change however large gives "+
			"p below %.2g over %d rows", Alpha, tests)
	}
	for i, adjusted := range metrics.Holm(p) {
		row := &r.Rows[i]
		if row.Test != Permutation {
			continue
		}
		row.P, row.Adjusted = optional.Number(p[i]), optional.Number(adjusted)
		row.Moved = row.Old.Present() != row.New.Present() || adjusted < Alpha && differ(row.Old, row.New, row.limit.Effect)
	}
	return nil
}

// leastP returns the smallest p-value that n and m seeds can give.
func leastP(n, m int) float64 {
	splits := combin.GeneralizedBinomial(float64(n+m), float64(n))
	if n == m {
		return 2 / splits // the split the other way round is as far apart
	}
	return 1 / splits
}

// differ reports whether two values differ by at least some amount. Values
// that are both absent do not; one that is, does.
func differ(a, b optional.Number, least float64) bool {
	if !a.Present() || !b.Present() {
		return a.Present() != b.Present()
	}
	return math.Abs(float64(b-a)) >= least
}

func sameBits(a, b []optional.Number) bool {
	return slices.EqualFunc(a, b, func(x, y optional.Number) bool { return x == y || !x.Present() && !y.Present() })
}

// mean returns the mean. It is absent when one of the values is.
func mean(values []optional.Number) optional.Number {
	return optional.Number(stat.Mean(floats(values), nil))
}

func floats(values []optional.Number) []float64 {
	return lists.Map(values, func(v optional.Number) float64 { return float64(v) })
}
