package results

import (
	"encoding/json"
	"io"
	"strconv"

	"dgsbench/internal/escape"
	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// Row is one metric of one cell: a line of `bench results`. Numbers are in
// Unit; fractions have the unit "1".
type Row struct {
	record.CellKey
	Candidates protocol.CandidateSet `json:"candidates"` // empty for nc
	Split      protocol.Split        `json:"split"`
	Device     string                `json:"device"`
	Metric     string                `json:"metric"`
	Unit       string                `json:"unit"`
	Mean       optional.Number       `json:"mean"` // over seeds; absent where the metric is not defined
	Std        optional.Number       `json:"std"`  // sample standard deviation over seeds (n-1), absent with fewer than three
	N          int                   `json:"n"`    // seeds that finished
	// CILow and CIHigh are the 2.5 and 97.5 percentiles of the mean over
	// seeds when the events are resampled.
	CILow  optional.Number `json:"ci_low"`
	CIHigh optional.Number `json:"ci_high"`
	// Degenerate means that the value carries no information about the model,
	// has no interval and is not ranked; Caveat is the reason. Other values
	// have a caveat about a part of their seeds or events.
	Degenerate bool   `json:"degenerate"`
	Caveat     string `json:"caveat"`

	undefined error // why there is no mean; nil in rows that are read
}

var csvHeader = []string{
	"suite", "dataset", "task", "setting", "model", "variant", "candidates", "split", "device",
	"metric", "unit", "mean", "std", "n", "ci_low", "ci_high", "case", "degenerate", "caveat",
}

// WriteCSV writes rows with a header line. Absent numbers are empty.
func WriteCSV(w io.Writer, rows []Row) error {
	lines := [][]string{csvHeader}
	for _, r := range rows {
		lines = append(lines, []string{
			r.Suite, r.Dataset, string(r.Task), string(r.Setting), r.Model, r.Variant, string(r.Candidates), string(r.Split), r.Device,
			r.Metric, r.Unit, r.Mean.CSV(), r.Std.CSV(), strconv.Itoa(r.N), r.CILow.CSV(), r.CIHigh.CSV(), r.Case,
			strconv.FormatBool(r.Degenerate), r.Caveat,
		})
	}
	return escape.WriteCSV(w, lines)
}

// WriteJSON writes rows as a list of objects with the names of the CSV
// columns. Absent numbers are null.
func WriteJSON(w io.Writer, rows []Row) error {
	if rows == nil {
		rows = []Row{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(rows)
}

var comparisonHeader = []string{
	"suite", "dataset", "task", "setting", "case", "candidates", "metric", "unit",
	"better", "better_variant", "better_mean", "better_n", "other", "other_variant", "other_mean", "other_n",
	"difference", "ci_low", "ci_high", "p", "p_adjusted",
}

// WriteComparisons writes a line a pair, with a header line. Absent numbers
// are empty.
func WriteComparisons(w io.Writer, comparisons []Comparison) error {
	lines := [][]string{comparisonHeader}
	for _, c := range comparisons {
		line := []string{c.Suite, c.Dataset, string(c.Task), string(c.Setting), c.Case, string(c.Candidates), c.Metric, c.Unit}
		for _, m := range []Compared{c.Better, c.Other} {
			line = append(line, m.Model, m.Variant, m.Mean.CSV(), strconv.Itoa(m.N))
		}
		lines = append(lines, append(line, c.Difference.CSV(), c.CILow.CSV(), c.CIHigh.CSV(), c.P.CSV(), c.Adjusted.CSV()))
	}
	return escape.WriteCSV(w, lines)
}
