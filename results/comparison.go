package results

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// level is the adjusted p-value below which models differ significantly.
const level = 0.05

// Comparison is the difference of the means of two models, the better less the
// other, by the headline metric on the same test events of the same data.
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
	Adjusted   optional.Number // by Holm, over all pairs of the suite's task
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
	metric metrics.Metric
	events int
	labels []int8
}

// Comparisons compares the models of every place pair by pair, in the order
// of the cells and from the best model down. Rules with nothing to learn are
// compared with learned models, but not with each other, and nothing with an
// oracle. The pairs of a task and a set of candidates are read together, so
// Holm adjusts them together: a reader looks for the best, and whatever comes
// out best has been chosen among all pairs.
func Comparisons(cells []Cell) []Comparison {
	var out []Comparison
	for _, here := range lists.GroupBy(cells, Cell.Place) {
		for _, candidates := range []protocol.CandidateSet{"", protocol.AllNodes, protocol.Destinations} {
			out = append(out, comparePlace(here, candidates)...)
		}
	}
	adjust(out)
	return out
}

// comparePlace compares the cells of one place.
func comparePlace(cells []Cell, candidates protocol.CandidateSet) []Comparison {
	var ranked []*Cell
	for i, c := range cells {
		if e, ok := c.estimates[candidates]; ok && c.Class != protocol.Oracle && optional.Number(mean(e)).Present() {
			ranked = append(ranked, &cells[i])
		}
	}
	slices.SortStableFunc(ranked, func(a, b *Cell) int {
		x, y := a.estimates[candidates], b.estimates[candidates]
		if !x.metric.HigherIsBetter {
			x, y = y, x
		}
		return cmp.Compare(mean(y), mean(x))
	})
	var out []Comparison
	for i, better := range ranked {
		for _, other := range ranked[i+1:] {
			if better.comparable(other, candidates) {
				out = append(out, compare(better, other, candidates))
			}
		}
	}
	return out
}

func mean(e estimate) float64 { return stat.Mean(e.Seeds, nil) }

// comparable reports whether two cells of a place are compared: different
// models, one of them learned, on the same test events.
func (c *Cell) comparable(other *Cell, candidates protocol.CandidateSet) bool {
	mine, theirs := c.estimates[candidates], other.estimates[candidates]
	switch {
	case c.Model == other.Model && c.Variant == other.Variant: // on two devices
		return false
	case c.Class != protocol.Learned && other.Class != protocol.Learned:
		return false
	}
	return c.records[0].DataChecksum == other.records[0].DataChecksum && mine.events == theirs.events && slices.Equal(mine.labels, theirs.labels)
}

func compare(better, other *Cell, candidates protocol.CandidateSet) Comparison {
	b, o := better.estimates[candidates], other.estimates[candidates]
	d := metrics.Compare(b.Estimate, o.Estimate)
	return Comparison{
		CellKey: better.Place(), Candidates: candidates, Metric: b.metric.Name, Unit: b.metric.Unit,
		Better:     Compared{better.Model, better.Variant, better.title(), optional.Number(mean(b)), better.Seeds},
		Other:      Compared{other.Model, other.Variant, other.title(), optional.Number(mean(o)), other.Seeds},
		Difference: optional.Number(d.Mean), CILow: optional.Number(d.Low), CIHigh: optional.Number(d.High), P: optional.Number(d.P),
	}
}

// adjust fills in the adjusted p-values: a task and a set of candidates are a
// family.
func adjust(all []Comparison) {
	family := func(c *Comparison) [3]string { return [3]string{c.Suite, string(c.Task), string(c.Candidates)} }
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
