package regression

import (
	"fmt"
	"slices"

	"dgsbench/internal/optional"
	"dgsbench/results/record"
)

// Compare sets a measurement beside the baseline. faults are what is wrong
// with the measurement by itself. What can be compared bit by bit is, unless
// statistical is set: then all seeds are compared as samples.
//
// It is an error to compare different suites, and to have too few seeds for
// a statistical comparison that could ever find anything.
func Compare(b Baseline, now Measurement, faults []Finding, statistical bool) (Outcome, error) {
	if b.Suite != now.Suite {
		return Outcome{}, fmt.Errorf("the baseline is of the suite %s, measured was %s", b.Suite, now.Suite)
	}
	c := comparison{baseline: b, now: now, forced: statistical}
	c.outcome = Outcome{Suite: b.Suite, Old: b.Build, New: now.Build, Statistical: c.reason(), Rows: []Row{}}
	c.outcome.Findings = append([]Finding{}, faults...)
	if b.Build.Numerics != now.Build.Numerics {
		c.find(NewNumerics, "%d, the baseline has %d", now.Build.Numerics, b.Build.Numerics)
	}
	match(b.Cells, now.Cells, func(x Cell) record.CellKey { return x.CellKey }, c.cells,
		func(old Cell) { c.find(MissingCell, "%s", old.CellKey) },
		func(fresh Cell) { c.find(ExtraCell, "%s", fresh.CellKey) })
	err := c.outcome.testRows()
	return c.outcome, err
}

// comparison is one in progress.
type comparison struct {
	baseline Baseline
	now      Measurement
	forced   bool // to be statistical
	outcome  Outcome
}

// reason says why no cell is compared bit by bit; it is empty when they are.
func (c *comparison) reason() string {
	old, fresh := c.baseline.Build, c.now.Build
	switch {
	case c.forced:
		return "asked for"
	case old.Kernels != fresh.Kernels:
		return fmt.Sprintf("kernels are %s, the baseline's were %s", fresh.Kernels, old.Kernels)
	case old.Numerics != fresh.Numerics:
		return fmt.Sprintf("numerics are %d, the baseline's were %d", fresh.Numerics, old.Numerics)
	}
	return ""
}

func (c *comparison) find(kind Kind, format string, args ...any) {
	c.outcome.Findings = append(c.outcome.Findings, Finding{kind, fmt.Sprintf(format, args...)})
}

// cells compares two cells of one key.
func (c *comparison) cells(old, fresh Cell) {
	if old.Class != fresh.Class {
		c.find(ChangedClass, "%s: %s, now %s", old.CellKey, old.Class, fresh.Class)
	}
	exact := c.outcome.Statistical == ""
	for _, change := range specChanges(old.Spec, fresh.Spec) {
		c.find(ChangedSpec, "%s: %s", old.CellKey, change)
		exact = false
	}
	if old.Data != fresh.Data {
		c.find(ChangedData, "%s: checksum %.12s, now %.12s", old.CellKey, old.Data, fresh.Data)
		exact = false
	}
	if !slices.Equal(old.Seeds, fresh.Seeds) {
		exact = false
		if !c.forced || len(old.Seeds) != len(fresh.Seeds) {
			c.find(ChangedSeeds, "%s: %v, now %v", old.CellKey, old.Seeds, fresh.Seeds)
		}
	}
	match(old.Series, fresh.Series, Series.String,
		func(was, is Series) { c.series(old, was, is, exact) },
		func(was Series) { c.find(ChangedMetrics, "%s: %s, now gone", old.CellKey, was) },
		func(is Series) { c.find(ChangedMetrics, "%s: new, %s", old.CellKey, is) })
}

func (c *comparison) series(old Cell, was, is Series, exact bool) {
	limit, _ := c.baseline.limit(was.Metric) // there is one: see Baseline.check
	row := Row{
		CellKey: old.CellKey, Candidates: was.Candidates, Metric: was.Metric,
		Old: mean(was.Values), New: mean(is.Values), P: optional.Absent(), Adjusted: optional.Absent(), limit: limit,
	}
	switch {
	case exact:
		row.Test, row.Moved = Exact, !sameBits(was.Values, is.Values)
	case old.seeded():
		row.Test, row.before, row.after = Permutation, was.Values, is.Values
	default:
		row.Test, row.Moved = Tolerance, differ(row.Old, row.New, limit.Tolerance)
	}
	c.outcome.Rows = append(c.outcome.Rows, row)
}

// match calls both with the elements of two lists that have the same key, in
// the order of the first list, gone with others of it, and then added with
// others of the second list.
func match[T any, K comparable](old, fresh []T, key func(T) K, both func(was, is T), gone, added func(T)) {
	find := func(list []T, k K) int { return slices.IndexFunc(list, func(x T) bool { return key(x) == k }) }
	for _, was := range old {
		if i := find(fresh, key(was)); i >= 0 {
			both(was, fresh[i])
		} else {
			gone(was)
		}
	}
	for _, is := range fresh {
		if find(old, key(is)) < 0 {
			added(is)
		}
	}
}
