package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// Report is what is shown of a suite: rows for machines, tables and figures
// for readers.
type Report struct {
	Title   string
	Rows    []results.Row
	Tables  []table.Table
	Figures []figure.Figure
	// Comparisons are of the models, pair by pair.
	Comparisons []results.Comparison
	// Records are those that it is made of, in the order of the suite.
	Records []record.Record
	// Warnings say what no sound measurement has, a line each.
	Warnings []string
}

// Shown says what a report is about.
type Shown struct {
	Trials  []specs.Trial
	Suite   []specs.Trial // the whole suite, of which flags may have left some out
	Tables  []results.Choice
	Ranges  []results.Range // of the models' searches
	File    string          // of the suite
	Command string          // that makes the tables again
	// Progress, unless it is nil, is told the share of the work that is done.
	Progress func(share float64)
}

// ShownOf is what a suite shows: all but the trials and the command. It is an
// error when it asks for a table that there is not.
func ShownOf(s specs.Suite) (Shown, error) {
	if err := s.Tables.Known(results.TableIDs()); err != nil {
		return Shown{}, err
	}
	whole, err := s.Trials(specs.Filter{})
	if err != nil {
		return Shown{}, err
	}
	return Shown{Suite: whole, Tables: choices(s), Ranges: ranges(s), File: s.File}, nil
}

// ranges are those of the searches of the suite's models.
func ranges(s specs.Suite) []results.Range {
	var out []results.Range
	for _, m := range s.Models() {
		for _, p := range m.Search() {
			r := results.Range{Model: m.Title, Title: p.Title, Values: p.Range(), Note: p.Note}
			for i, task := range p.Tasks {
				if i > 0 {
					r.Tasks += ", "
				}
				r.Tasks += string(task)
			}
			out = append(out, r)
		}
	}
	return out
}

// choices are the suite's tables, or the usual ones.
func choices(s specs.Suite) []results.Choice {
	var out []results.Choice
	for _, t := range s.Tables.Show {
		out = append(out, results.Choice{ID: t.ID, Title: t.Title, Models: t.Models, Without: t.Without, Datasets: t.Datasets})
	}
	if len(out) == 0 {
		out = results.DefaultChoices()
	}
	for i := range out {
		out[i].PaperDatasets = s.Tables.PaperDatasets
	}
	return out
}

// NewReport summarises the records of the trials. What has no record is
// missing in the rows and a dash in the tables.
func NewReport(s record.Store, records []record.Record, shown Shown) (Report, error) {
	scored, timed := specs.SplitLatency(shown.Trials)
	in := results.Input{Store: s, Records: ofTrials(records, scored), Ranges: shown.Ranges}
	var err error
	if in.Cells, err = results.Aggregate(s, in.Records, shown.Progress); err != nil {
		return Report{}, err
	}
	in.Timed, in.EarlierRuns = results.LatestRun(ofTrials(records, timed))
	times, err := results.LatencyRows(s, in.Timed)
	if err != nil {
		return Report{}, err
	}
	source := sourceOf(shown.File, records)
	nc, lp := ofTask(scored, protocol.NodeClassification), ofTask(scored, protocol.LinkPrediction)
	in.Classification, in.Links = tableLayout(nc, shown.Command, source), tableLayout(lp, shown.Command, source)
	in.Latency = tableLayout(timed, shown.Command, source)
	scored, timed = specs.SplitLatency(shown.Suite)
	in.Classification.Suite = datasetHeads(ofTask(scored, protocol.NodeClassification))
	in.Links.Suite = datasetHeads(ofTask(scored, protocol.LinkPrediction))
	in.Latency.Suite = datasetHeads(timed)
	for _, set := range candidateSets(lp) {
		in.Candidates = append(in.Candidates, set)
	}
	out, err := results.Make(in, shown.Tables)
	r := Report{
		Rows: append(results.Rows(in.Cells), times...), Tables: out.Tables, Figures: out.Figures,
		Comparisons: results.Comparisons(in.Cells), Warnings: results.Warnings(in.Cells),
		Records: inOrder(slices.Concat(in.Records, in.Timed), shown.Trials),
	}
	if len(shown.Trials) > 0 {
		r.Title = subtitle(shown.Trials[0])
	}
	return r, err
}

// sourceOf names the suite's file and the code that measured.
func sourceOf(file string, records []record.Record) string {
	var versions []string
	for _, r := range records {
		versions = appendNew(versions, shortVersion(r.CodeVersion))
	}
	slices.Sort(versions)
	return fmt.Sprintf("%s; %d records of code version %s", file, len(records), strings.Join(versions, ", "))
}

// shortVersion is a code version with the first digits of its commit.
func shortVersion(version string) string {
	commit, changed, dirty := strings.Cut(version, "+")
	commit = commit[:min(12, len(commit))]
	if dirty {
		return commit + "+" + changed
	}
	return commit
}

// ofTrials are the records of the trials.
func ofTrials(records []record.Record, trials []specs.Trial) []record.Record {
	keys := map[record.Key]bool{}
	for _, t := range trials {
		keys[KeyOf(t)] = true
	}
	return slices.DeleteFunc(slices.Clone(records), func(r record.Record) bool { return !keys[r.Key] })
}

// inOrder sorts the records as the trials are.
func inOrder(records []record.Record, trials []specs.Trial) []record.Record {
	at := map[record.Key]int{}
	for i, t := range trials {
		at[KeyOf(t)] = i
	}
	slices.SortStableFunc(records, func(a, b record.Record) int { return cmp.Compare(at[a.Key], at[b.Key]) })
	return records
}

func ofTask(trials []specs.Trial, task protocol.Task) []specs.Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t specs.Trial) bool { return t.Task != task })
}

// candidateSets lists the sets that any of the trials is ranked against.
func candidateSets(trials []specs.Trial) []protocol.CandidateSet {
	var out []protocol.CandidateSet
	for _, t := range trials {
		for _, set := range t.Protocol.Candidates {
			out = appendNew(out, set)
		}
	}
	return out
}

// tableLayout is the order of the suite: models, datasets and settings as
// they first appear in it.
func tableLayout(trials []specs.Trial, command, source string) results.Layout {
	l := results.Layout{Command: command, Source: source, Datasets: datasetHeads(trials)}
	for _, t := range trials {
		l.Subtitle = subtitle(t)
		l.Models = appendNew(l.Models, results.ModelHead{
			ID: t.ModelID, Variant: t.Variant, Title: t.Title, Class: t.Class,
		})
		l.Settings = appendNew(l.Settings, t.Setting)
	}
	return l
}

// datasetHeads are the columns of the trials' datasets.
func datasetHeads(trials []specs.Trial) []results.DatasetHead {
	var out []results.DatasetHead
	for _, t := range trials {
		for _, evaluation := range append([]string{""}, t.Evaluations()...) {
			out = appendNew(out, datasetHead(t, evaluation))
		}
	}
	return out
}

// subtitle is what the trial's suite says of itself.
func subtitle(t specs.Trial) string { return t.Suite + ": " + t.About }

// datasetHead is the column of one of the trial's evaluations.
func datasetHead(t specs.Trial, evaluation string) results.DatasetHead {
	head := results.DatasetHead{ID: t.Dataset, Title: t.Dataset, Case: KeyOf(t).Evaluated(evaluation).Case}
	if head.Case != "" && !t.IsLatency() {
		head.Title += ", " + head.Case
	}
	if d, err := datasets.Lookup(t.Dataset); err == nil {
		head.PaperName = d.PaperName
	}
	return head
}

func appendNew[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
