package results

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// caveatOf returns why the facts of a part carry no information about the
// model: those of all seeds, then its rows are degenerate, or of some.
func caveatOf(facts []metrics.Facts) (caveat string, degenerate bool) {
	all, seeds := 0, map[metrics.Degeneracy]int{}
	for _, f := range facts {
		if why := f.Degenerate(); why != "" {
			all++
			seeds[why]++
		}
	}
	degenerate = all == len(facts)
	var texts []string
	for why, n := range seeds {
		text := string(why)
		if n < len(facts) {
			text += fmt.Sprintf(" in %d of %s", n, Count(len(facts), "seed"))
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	if n := facts[0].Unopposed(); n > 0 && !degenerate {
		texts = append(texts, fmt.Sprintf("%d of %s had no negative and come out first", n, Count(facts[0].Len(), "event")))
	}
	return strings.Join(texts, "; "), degenerate
}

// informative reports whether the test part can distinguish models.
func informative(o record.Observed) bool {
	for part, f := range o {
		if why := f.Degenerate(); part.Split == protocol.Test && (why == "" || why.OfModel()) {
			return true
		}
	}
	return false
}

// seedDigest is a digest of a seed's scores on the test part.
type seedDigest struct {
	seed   uint64
	digest [sha256.Size]byte
}

// duplicate is a finding: seeds of two cells, or of one, have the same answers
// bit for bit.
type duplicate struct {
	a, b  *Cell    // the same one where two of its own seeds are equal
	seeds []uint64 // of a
}

// duplicates finds what no sound measurement has among the cells of one
// place: models of different specifications, or seeds of a learned model,
// with the same answers. One specification under two names is no mistake.
func duplicates(cells []Cell) []duplicate {
	var out []duplicate
	for i := range cells {
		a := &cells[i]
		if a.Class == protocol.Learned {
			out = append(out, duplicate{a, a, a.seedsEqualIn(a)})
		}
		for j := range cells[:i] {
			b := &cells[j]
			sameRule := a.Class == protocol.ZeroParameter && a.Model == b.Model // of a pair and of a node, they agree where nodes have one partner
			if a.method != b.method && !sameRule {
				out = append(out, duplicate{b, a, b.seedsEqualIn(a)})
			}
		}
	}
	return slices.DeleteFunc(out, func(l duplicate) bool { return len(l.seeds) == 0 })
}

// seedsEqualIn lists the seeds of c with an answer that a seed of other has, or
// another one where both are the same cell.
func (c *Cell) seedsEqualIn(other *Cell) []uint64 {
	var seeds []uint64
	for i, mine := range c.digests {
		if slices.ContainsFunc(other.digests, func(theirs seedDigest) bool {
			return theirs.digest == mine.digest && !(c == other && theirs.seed == c.digests[i].seed)
		}) {
			seeds = append(seeds, mine.seed)
		}
	}
	return seeds
}

// addDuplicates writes the footnotes of duplicates into the cells of one place.
func addDuplicates(cells []Cell) {
	for _, l := range duplicates(cells) {
		l.a.Duplicates = append(l.a.Duplicates, l.text(l.b))
		if l.b != l.a {
			l.b.Duplicates = append(l.b.Duplicates, l.text(l.a))
		}
	}
}

// text returns the footnote of the one cell, that names the other.
func (l duplicate) text(other *Cell) string {
	if l.a == l.b {
		numbers := lists.Map(l.seeds, func(seed uint64) string { return fmt.Sprint(seed) })
		return fmt.Sprintf("seeds %s gave the same test scores, bit for bit: the seed does not reach the model, or a record is a copy",
			strings.Join(numbers, ", "))
	}
	return fmt.Sprintf("the same test scores, bit for bit, as %s (%s)", other.Title, Count(len(l.seeds), "seed"))
}

// Warnings returns lines about what no sound measurement has: different models,
// or different seeds of a learned one, with bit-equal test scores.
func Warnings(cells []Cell) []string {
	var out []string
	for _, some := range lists.GroupBy(cells, Cell.Place) {
		for _, l := range duplicates(some) {
			out = append(out, fmt.Sprintf("%s: %s", l.a.CellKey, l.text(l.b)))
		}
	}
	return out
}
