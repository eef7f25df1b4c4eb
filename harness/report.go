package harness

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/results"
	"dgsbench/specs"
)

// Report is what is shown of a suite: rows for machines, tables for readers.
type Report struct {
	Rows   []results.Row
	Tables []results.Table
}

// NewReport summarises the records of the trials. What has no record is
// missing in the rows and a dash in the tables; command is what makes the
// tables again.
func NewReport(s results.Store, records []results.Record, trials []specs.Trial, command string) (Report, error) {
	cells, err := results.Aggregate(s, records)
	if err != nil {
		return Report{}, err
	}
	r := Report{Rows: results.Rows(cells)}
	if nc := ofTask(trials, models.NodeClassification); len(nc) > 0 {
		t, err := results.NodeClassification(cells, tableLayout(nc, command))
		if err != nil {
			return Report{}, err
		}
		r.Tables = append(r.Tables, t)
	}
	lp := ofTask(trials, models.LinkPrediction)
	for _, set := range candidateSets(lp) {
		t, err := results.LinkPrediction(cells, tableLayout(lp, command), string(set))
		if err != nil {
			return Report{}, err
		}
		r.Tables = append(r.Tables, t)
	}
	return r, nil
}

func ofTask(trials []specs.Trial, task models.Task) []specs.Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t specs.Trial) bool { return t.Task != task })
}

// candidateSets lists the sets that any of the trials is ranked against.
func candidateSets(trials []specs.Trial) []specs.CandidateSet {
	var out []specs.CandidateSet
	for _, t := range trials {
		for _, set := range t.Protocol.Candidates {
			out = appendNew(out, set)
		}
	}
	return out
}

// tableLayout is the order of the suite: models, datasets and settings as
// they first appear in it.
func tableLayout(trials []specs.Trial, command string) results.Layout {
	l := results.Layout{Command: command}
	for _, t := range trials {
		l.Models = appendNew(l.Models, results.ModelHead{
			ID: t.ModelID, Variant: t.Variant, Title: t.Title, Class: results.Class(t.Class),
		})
		head := results.DatasetHead{ID: t.Dataset, Title: t.Dataset}
		if d, err := datasets.Lookup(t.Dataset); err == nil {
			head.PaperName = d.PaperName
		}
		l.Datasets = appendNew(l.Datasets, head)
		l.Settings = appendNew(l.Settings, string(t.Setting))
	}
	return l
}

func appendNew[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
