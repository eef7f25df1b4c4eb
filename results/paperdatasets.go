package results

import (
	"slices"
	"strings"
)

// standIns puts the paper's values of a dataset that nobody else has beside
// those of the one that stands in for it, where the suite has the model that
// the paper counts from.
func standIns(list []DatasetHead, models []ModelHead) []DatasetHead {
	for i, d := range list {
		for _, p := range defined().Datasets {
			base, _, _ := strings.Cut(d.ID, "@")
			counted := slices.ContainsFunc(models, func(m ModelHead) bool { return m.ref() == p.Against })
			if p.StandIn != "" && base == p.StandIn && counted {
				list[i].PaperName, list[i].Against = p.Name, p.Against
			}
		}
	}
	return list
}

// unmeasured are the paper's datasets that are not in the list. whole is what
// the suite has where no flags leave something out.
func unmeasured(list, whole []DatasetHead) []DatasetHead {
	var out []DatasetHead
	for _, p := range defined().Datasets {
		if !slices.ContainsFunc(list, func(d DatasetHead) bool { return strings.EqualFold(d.PaperName, p.Name) }) {
			out = append(out, DatasetHead{
				Title: p.Name, PaperName: p.Name, PaperOnly: true, Against: p.Against,
				LeftOut: slices.ContainsFunc(whole, p.measuredBy) && !slices.ContainsFunc(list, p.measuredBy),
			})
		}
	}
	return out
}

// measuredBy reports whether d is the dataset, or stands in for it.
func (p paperDataset) measuredBy(d DatasetHead) bool {
	base, _, _ := strings.Cut(d.ID, "@")
	return strings.EqualFold(d.PaperName, p.Name) || p.StandIn != "" && base == p.StandIn
}

// withoutDifferences is for tables in which the paper's differences have no
// place.
func withoutDifferences(list []DatasetHead) []DatasetHead {
	var out []DatasetHead
	for _, d := range list {
		switch {
		case d.Against == "":
			out = append(out, d)
		case !d.PaperOnly:
			d.Against, d.PaperName = "", ""
			out = append(out, d)
		}
	}
	return out
}
