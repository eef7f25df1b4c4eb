package results

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// caveatOf says what keeps a part's facts, those of each seed, from telling
// something of the model: all of them, then its rows are degenerate, or some.
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
			text += fmt.Sprintf(" in %d of %s", n, count(len(facts), "seed"))
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	if n := facts[0].Unopposed(); n > 0 && !degenerate {
		texts = append(texts, fmt.Sprintf("%d of %s had no negative and come out first", n, count(facts[0].Len(), "event")))
	}
	return strings.Join(texts, "; "), degenerate
}

// tells reports whether the test part can tell models apart.
func tells(o record.Observed) bool {
	for part, f := range o {
		if why := f.Degenerate(); part.Split == protocol.Test && (why == "" || why.OfModel()) {
			return true
		}
	}
	return false
}

// caveatNote is the row's footnote.
func (r Row) caveatNote() string {
	if r.Degenerate {
		return r.Caveat + ": the value says nothing of the model and is not ranked"
	}
	return r.Caveat
}
