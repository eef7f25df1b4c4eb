package harness

import (
	"fmt"
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
	if IsLatency(trials) {
		return newLatencyReport(s, records, tableLayout(trials, command))
	}
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

// IsLatency reports whether the trials are latency tests: a suite has these
// or others.
func IsLatency(trials []specs.Trial) bool {
	return len(trials) > 0 && trials[0].Protocol.Latency != nil
}

// newLatencyReport shows, of each dataset, the run that started last.
func newLatencyReport(s results.Store, records []results.Record, l results.Layout) (Report, error) {
	latest, left := results.LatestRun(records)
	rows, err := results.LatencyRows(s, latest)
	if err != nil {
		return Report{}, err
	}
	tables, err := results.LatencyTables(s, latest, l)
	if left > 0 {
		for i := range tables {
			tables[i].Legend = append(tables[i].Legend, fmt.Sprintf("%d records of earlier runs are left out: times are compared within a run alone", left))
		}
	}
	return Report{Rows: rows, Tables: tables}, err
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
