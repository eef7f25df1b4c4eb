package results

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/metrics"
	"dgsbench/protocol"
)

// paperNotes say why the paper's values of a dataset are not simply to be
// compared with ours: versions of a dataset have names of their own, and each
// of the paper's models is the best of a search.
func (b *builder) paperNotes(d DatasetHead) []int {
	if d.PaperOnly || d.PaperName == "" {
		return nil
	}
	var texts []string
	closed := defined().dataset(d.PaperName).Closed
	switch {
	case strings.EqualFold(d.ID, d.PaperName):
	case closed != "":
		texts = append(texts, fmt.Sprintf("the paper's values are of %s itself: %s", d.PaperName, closed))
	default:
		texts = append(texts, fmt.Sprintf("the paper's values are of %s, of which %s is another version", d.PaperName, d.ID))
	}
	return b.notes.Note(append(texts, b.searchNote(d)...)...)
}

// searchNote says how far our models are tuned that stand beside the paper's.
func (b *builder) searchNote(d DatasetHead) []string {
	beside, tuned := 0, 0
	for _, setting := range b.Settings {
		for _, m := range b.Models {
			if c := b.cell(d, setting, m); c != nil && c.Seeds > 0 && b.besidePaper(d, setting, m, b.metrics...) {
				beside++
				tuned += min(1, len(c.Searches))
			}
		}
	}
	ours := "ours are not tuned"
	switch {
	case beside == 0:
		return nil
	case tuned > 0:
		ours = "of ours those are tuned whose footnotes name a search"
	}
	return []string{fmt.Sprintf("the paper's models are the best of %d trials each; %s", reference().trials, ours)}
}

// besidePaper reports whether the paper gives a value beside ours, by any of the
// metrics. It ranks against all nodes.
func (b *builder) besidePaper(d DatasetHead, setting protocol.Setting, m ModelHead, by ...metrics.Metric) bool {
	return d.Candidates != protocol.Destinations && slices.ContainsFunc(by, func(x metrics.Metric) bool {
		return published(d, b.task, setting, m, x).Value != nil
	})
}

// unlikeNotes say in what one of our models differs from the paper's, or that
// it is the result of a search as well.
func (b *builder) unlikeNotes(d DatasetHead, setting protocol.Setting, m ModelHead, c *Cell) []string {
	if !b.besidePaper(d, setting, m, b.metrics...) {
		return nil
	}
	var out []string
	if size := reference().states[b.task][m.ID]; size != 0 && c.State != 0 && c.State != size {
		out = append(out, fmt.Sprintf("a state of %d numbers, the paper's has %d", c.State, size))
	}
	for _, search := range c.Searches {
		out = append(out, "tuned: "+search)
	}
	return out
}
