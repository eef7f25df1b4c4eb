package regression

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"dgsbench/internal/optional"
	"dgsbench/results/table"
)

// Outcome is what a comparison found.
type Outcome struct {
	Suite string `json:"suite"`
	Old   Build  `json:"baseline"`
	New   Build  `json:"build"`

	Statistical string    `json:"statistical"` // why seeds were compared as samples; empty where bits were compared
	Findings    []Finding `json:"findings"`
	Rows        []Row     `json:"rows"`
}

// Same reports whether there is nothing to tell.
func (r Outcome) Same() bool { return len(r.Findings) == 0 && len(r.moved()) == 0 }

// Sound reports whether the measurement may become a baseline.
func (r Outcome) Sound() bool { return !slices.ContainsFunc(r.Findings, Finding.Fault) }

func (r Outcome) moved() []Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return !row.Moved })
}

// unknownCode is the name of an unknown commit in records.
const unknownCode = "unknown"

// Verdict returns the outcome in a sentence.
func (r Outcome) Verdict() string {
	how := "bit for bit"
	if r.Statistical != "" {
		how = "statistically (" + r.Statistical + ")"
	}
	compared := fmt.Sprintf("%d numbers of suite %s compared %s with the baseline", len(r.Rows), r.Suite, how)
	if r.Old.Code != unknownCode {
		compared += fmt.Sprintf(" of code %.12s", r.Old.Code)
	}
	if r.Same() {
		return "same: " + compared + r.closest()
	}
	return fmt.Sprintf("moved: %d of %s; %d other findings", len(r.moved()), compared, len(r.Findings))
}

// closest names the row that came nearest to an alarm, where there could
// have been one.
func (r Outcome) closest() string {
	tests := slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return !row.Adjusted.Present() })
	if len(tests) == 0 {
		return ""
	}
	near := slices.MinFunc(tests, func(a, b Row) int { return cmp.Compare(a.P, b.P) })
	return fmt.Sprintf("; closest to an alarm: %s of %s, adjusted p %.2g", near.series(), near.CellKey, float64(near.Adjusted))
}

func (r Row) series() Series { return Series{Candidates: r.Candidates, Metric: r.Metric} }

// WriteText prints findings, numbers that moved and the verdict.
func (r Outcome) WriteText(w io.Writer) error {
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s: %s\n", f.Kind, f.Text)
	}
	moved := table.New("MOVED", "TEST METRIC", "BASELINE", "NOW", "CHANGE", "ADJUSTED P")
	for _, row := range r.moved() { // means as fractions
		p := "(" + string(row.Test) + ")"
		if row.Adjusted.Present() {
			p = fmt.Sprintf("%.1e", float64(row.Adjusted))
		}
		moved.Add(row.CellKey, row.series(), fraction(row.Old), fraction(row.New), fmt.Sprintf("%+.2g", float64(row.New-row.Old)), p)
	}
	if len(moved.Blocks) > 0 {
		if err := table.WriteList(w, moved); err != nil {
			return err
		}
	}
	if !r.Same() && r.Old.Go != r.New.Go {
		fmt.Fprintf(w, "this build is of %s, the baseline's was of %s: its library may compute otherwise\n", r.New.Go, r.Old.Go)
	}
	_, err := fmt.Fprintln(w, r.Verdict())
	return err
}

func fraction(n optional.Number) string {
	if !n.Present() {
		return "not defined"
	}
	return fmt.Sprintf("%.6f", float64(n))
}
