package results

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// level is the adjusted p-value below which models differ significantly.
const level = 0.05

// Comparison is the difference of the means of two models, the better less the
// other, by one metric on the same test events of the same data: by the headline
// and those that the suite's tables name.
type Comparison struct {
	record.CellKey                       // without model: where they are compared
	Candidates     protocol.CandidateSet // empty for nc
	Metric         string
	Unit           string

	Better Compared
	Other  Compared

	// Difference is Better's mean less Other's, with its 95% interval over
	// events and seeds. Interval and p-values are absent where a learned
	// model has a single seed.
	Difference optional.Number
	CILow      optional.Number
	CIHigh     optional.Number
	P          optional.Number // two-sided
	Adjusted   optional.Number // by Holm, over all pairs of the suite's task by the metric
}

// Compared is one of the models of a comparison.
type Compared struct {
	Model   string
	Variant string
	Title   string // as tables print it
	Mean    optional.Number
	N       int // seeds that finished
}

// Significant reports whether the difference is more than chance gives.
func (c Comparison) Significant() bool { return c.Adjusted.Present() && c.Adjusted < level }

// estimate is what comparisons need of a cell and one set of candidates.
type estimate struct {
	metrics.Estimate
	metric     metrics.Metric
	candidates protocol.CandidateSet
	events     int
	labels     []int8
}

// estimate returns that of a metric against candidates.
func (c *Cell) estimate(candidates protocol.CandidateSet, metric string) (estimate, bool) {
	return lists.Find(c.estimates, func(e estimate) bool { return e.candidates == candidates && e.metric.Name == metric })
}

// Comparisons compares the models of every place pair by pair, in the order
// of the cells and from the best model down. Rules with nothing to learn are
// compared with learned models, but not with each other, and nothing with an
// oracle. The pairs of a task, a set of candidates and a metric are read together, so
// Holm adjusts them together: a reader looks for the best, and whatever comes
// out best has been chosen among all pairs.
func Comparisons(cells []Cell) []Comparison {
	var out []Comparison
	for _, here := range lists.GroupBy(cells, Cell.Place) {
		for _, candidates := range []protocol.CandidateSet{"", protocol.AllNodes, protocol.Destinations} {
			var names []string
			for _, c := range here {
				for _, e := range c.estimates {
					if e.candidates == candidates {
						names = appendNew(names, e.metric.Name)
					}
				}
			}
			for _, metric := range names {
				out = append(out, comparePlace(here, candidates, metric)...)
			}
		}
	}
	adjust(out)
	return out
}

// contender is a cell with its estimate of one metric.
type contender struct {
	*Cell
	estimate
}

// comparePlace compares the cells of one place by a metric.
func comparePlace(cells []Cell, candidates protocol.CandidateSet, metric string) []Comparison {
	var ranked []contender
	for i := range cells {
		c := &cells[i]
		if e, ok := c.estimate(candidates, metric); ok && c.Class != protocol.Oracle && optional.Number(mean(e)).Present() {
			ranked = append(ranked, contender{c, e})
		}
	}
	slices.SortStableFunc(ranked, func(a, b contender) int { return fromBest(a.metric, mean(a.estimate), mean(b.estimate)) })
	var out []Comparison
	for i, better := range ranked {
		for _, other := range ranked[i+1:] {
			if better.comparable(other) {
				out = append(out, compare(better, other))
			}
		}
	}
	return out
}

// fromBest compares values of a metric, the better one first.
func fromBest[T ~float64](m metrics.Metric, a, b T) int {
	if m.HigherIsBetter {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// findComparison finds that of the better cell with the other one, against the
// candidates and by the metric.
func findComparison(all []Comparison, candidates protocol.CandidateSet, metric string, better, other *Cell) (Comparison, bool) {
	is := func(m Compared, c *Cell) bool { return m.Model == c.Model && m.Variant == c.Variant }
	return lists.Find(all, func(c Comparison) bool {
		return c.Place() == better.Place() && c.Candidates == candidates && c.Metric == metric && is(c.Better, better) && is(c.Other, other)
	})
}

// comparisonOf finds that of two cells, whichever is the better one.
func comparisonOf(all []Comparison, candidates protocol.CandidateSet, metric string, a, b *Cell) (Comparison, bool) {
	c, ok := findComparison(all, candidates, metric, a, b)
	if !ok {
		c, ok = findComparison(all, candidates, metric, b, a)
	}
	return c, ok
}

func mean(e estimate) float64 { return stat.Mean(e.Seeds, nil) }

// comparable reports whether two cells of a place are compared: different
// models, one of them learned, on the same test events.
func (c contender) comparable(other contender) bool {
	switch {
	case c.Model == other.Model && c.Variant == other.Variant: // on two devices
		return false
	case c.Class != protocol.Learned && other.Class != protocol.Learned:
		return false
	}
	return c.records[0].DataChecksum == other.records[0].DataChecksum && c.events == other.events && slices.Equal(c.labels, other.labels)
}

func compare(better, other contender) Comparison {
	d := metrics.Compare(better.Estimate, other.Estimate)
	compared := func(c contender) Compared {
		return Compared{c.Model, c.Variant, c.title(), optional.Number(mean(c.estimate)), c.Cell.Seeds}
	}
	return Comparison{
		CellKey: better.Place(), Candidates: better.candidates, Metric: better.metric.Name, Unit: better.metric.Unit,
		Better: compared(better), Other: compared(other),
		Difference: optional.Number(d.Mean), CILow: optional.Number(d.Low), CIHigh: optional.Number(d.High), P: optional.Number(d.P),
	}
}

// adjust fills in the adjusted p-values: a task, a set of candidates, a metric and a
// size of evaluation batches are a family.
func adjust(all []Comparison) {
	family := func(c *Comparison) [5]string {
		_, size, _ := strings.Cut(c.Case, specs.EvaluationCase)
		return [5]string{c.Suite, string(c.Task), string(c.Candidates), c.Metric, size}
	}
	var pointers []*Comparison
	for i := range all {
		pointers = append(pointers, &all[i])
	}
	for _, pairs := range lists.GroupBy(pointers, family) {
		p := make([]float64, len(pairs))
		for i, c := range pairs {
			p[i] = float64(c.P)
		}
		for i, adjusted := range metrics.Holm(p) {
			pairs[i].Adjusted = optional.Number(adjusted)
		}
	}
}
