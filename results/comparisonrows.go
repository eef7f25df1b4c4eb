package results

import (
	"io"
	"strconv"

	"dgsbench/internal/escape"
)

var comparisonHeader = []string{
	"suite", "dataset", "task", "setting", "case", "candidates", "metric", "unit",
	"better", "better_variant", "better_mean", "better_n", "other", "other_variant", "other_mean", "other_n",
	"difference", "ci_low", "ci_high", "p", "p_adjusted",
}

// WriteComparisons writes a line a pair, with a header line. Absent numbers
// are empty.
func WriteComparisons(w io.Writer, comparisons []Comparison) error {
	out := escape.NewCSVWriter(w)
	out.Write(comparisonHeader) // errors stay until Flush
	for _, c := range comparisons {
		line := []string{c.Suite, c.Dataset, string(c.Task), string(c.Setting), c.Case, string(c.Candidates), c.Metric, c.Unit}
		for _, m := range []Compared{c.Better, c.Other} {
			line = append(line, m.Model, m.Variant, m.Mean.CSV(), strconv.Itoa(m.N))
		}
		out.Write(append(line, c.Difference.CSV(), c.CILow.CSV(), c.CIHigh.CSV(), c.P.CSV(), c.Adjusted.CSV()))
	}
	out.Flush()
	return out.Error()
}
