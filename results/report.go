package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/lists"
	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/record"
	"dgsbench/results/table"
	"dgsbench/specs"
)

// Report is what is printed of a suite: rows for machines, tables and figures
// for readers.
type Report struct {
	Title       string
	Summary     Summary
	Rows        []Row
	Tables      []table.Table
	Figures     []figure.Figure
	Comparisons []Comparison    // of the models, pair by pair
	Records     []record.Record // that it is made of, in the order of the suite
	Live        []LiveTest      // of these
	Warnings    []string        // about what no sound measurement has, a line each
}

// Outline describes the contents of a report.
type Outline struct {
	Suite   specs.Suite
	Trials  []specs.Trial // of the suite, of which flags may have left some out
	Command string        // that makes the tables again
	Curves  bool          // also those figures of curves that the suite does not list, where there is something to draw
	// Progress, unless it is nil, is called with the share of the work done.
	Progress func(share float64)
}

// ranges lists what the searches of the suite's models try.
func ranges(s specs.Suite) (out []Range) {
	for _, m := range s.Models() {
		for _, p := range m.Search() {
			tasks := lists.Map(p.Tasks, func(t protocol.Task) string { return string(t) })
			out = append(out, Range{Model: m.Title, Title: p.Title, Tasks: strings.Join(tasks, ", "), Values: p.Range(), Note: p.Note})
		}
	}
	return out
}

// NewReport summarises the records of the outline's trials. Trials without a
// record are missing in the rows and dashes in the tables; datasets without any
// that the suite can do without have no column.
func NewReport(s record.Store, records []record.Record, o Outline) (Report, error) {
	if o.Curves {
		o.Suite.Tables = withCurves(o.Suite.Tables)
	}
	measured := map[string]bool{} // by dataset
	for _, r := range records {
		measured[r.Key.Dataset] = true
	}
	o.Trials = specs.WithoutMissing(o.Trials, func(dataset string) bool { return !measured[dataset] })
	scored := specs.Scored(o.Trials)
	in := Input{
		Store: s, Records: ofTrials(records, scored), Ranges: ranges(o.Suite),
		Subtitle: o.Suite.Name + ": " + o.Suite.Title, Command: o.Command, Source: sourceOf(o.Suite.File, records),
	}
	var err error
	if in.Cells, err = Aggregate(s, in.Records, o.Suite.Tables, o.Progress); err != nil {
		return Report{}, err
	}
	timed, earlier := record.LatestRun(ofTrials(records, specs.LatencyTests(o.Trials)))
	if in.Timed, err = ReadTimes(s, timed); err != nil {
		return Report{}, err
	}
	loaded, earlierLive := record.LatestRun(ofTrials(records, specs.LiveTests(o.Trials)))
	if in.Loaded, err = ReadLive(s, loaded); err != nil {
		return Report{}, err
	}
	in.EarlierRuns, in.EarlierLive = earlier, earlierLive
	layout := func(trials []specs.Trial, task protocol.Task) Layout {
		return newLayout(slices.DeleteFunc(slices.Clone(trials), func(t specs.Trial) bool { return t.Task != task }))
	}
	in.Classification, in.Links = layout(scored, protocol.NodeClassification), layout(scored, protocol.LinkPrediction)
	in.Latency, in.Live = layout(specs.LatencyTests(o.Trials), protocol.NodeClassification), newLayout(specs.LiveTests(o.Trials))
	out, err := Make(in, o.Suite.Tables)
	out.Tables = slices.DeleteFunc(out.Tables, func(t table.Table) bool {
		return slices.Contains(o.Suite.Tables.Unlisted, t.Name) && !slices.ContainsFunc(out.Figures, func(f figure.Figure) bool { return f.Name == t.Name })
	})
	r := Report{
		Title: in.Subtitle, Summary: out.Summary, Rows: slices.Concat(Rows(in.Cells), LatencyRows(in.Timed), LiveRows(in.Loaded)), Tables: out.Tables, Figures: out.Figures,
		Comparisons: Comparisons(in.Cells), Warnings: Warnings(in.Cells), Records: slices.Concat(in.Records, timed, loaded), Live: in.Loaded,
	}
	position := map[record.Key]int{}
	for i, t := range o.Trials {
		position[KeyOf(t)] = i
	}
	slices.SortStableFunc(r.Records, func(a, b record.Record) int { return cmp.Compare(position[a.Key], position[b.Key]) })
	slices.SortStableFunc(r.Live, func(a, b LiveTest) int { return cmp.Compare(position[a.Key], position[b.Key]) })
	return r, err
}

// sourceOf names the suite's file and the code that measured.
func sourceOf(file string, records []record.Record) string {
	var versions []string
	for _, r := range records {
		commit, changes, dirty := strings.Cut(r.CodeVersion, "+")
		version := commit[:min(12, len(commit))]
		if dirty {
			version += "+" + changes
		}
		versions = appendNew(versions, version)
	}
	slices.Sort(versions)
	return fmt.Sprintf("%s; %d records of code version %s", file, len(records), strings.Join(versions, ", "))
}

func ofTrials(records []record.Record, trials []specs.Trial) []record.Record {
	keys := map[record.Key]bool{}
	for _, t := range trials {
		keys[KeyOf(t)] = true
	}
	return slices.DeleteFunc(slices.Clone(records), func(r record.Record) bool { return !keys[r.Key] })
}

// newLayout has everything in the order in which it first appears in the trials.
func newLayout(trials []specs.Trial) Layout {
	l := Layout{Datasets: datasetHeads(trials)}
	for _, t := range trials {
		l.Models = appendNew(l.Models, ModelHead{ID: t.ModelID, Variant: t.Variant, Title: t.Title, Class: t.Kind.Class})
		l.Settings = appendNew(l.Settings, t.Setting)
		l.Candidates = appendNew(l.Candidates, t.Protocol.Candidates...)
	}
	return l
}

// datasetHeads returns the columns of the datasets, one for every evaluation.
func datasetHeads(trials []specs.Trial) []DatasetHead {
	var out []DatasetHead
	for _, t := range trials {
		for i, evaluation := range t.Evaluations() {
			head := DatasetHead{ID: t.Dataset, Title: t.Dataset, Case: KeyOf(t).Evaluated(evaluation).Case}
			if d, err := datasets.Lookup(t.Dataset); err == nil {
				if head.PaperName, head.Delay = d.PaperName, d.Delay; d.Imported {
					head.Title = d.Title
				}
			}
			head.Place = head.Title
			if t.Case != "" && !t.IsTimed() {
				head.Place += ", " + t.Case
			}
			if head.Case != "" && !t.IsTimed() {
				head.Title += ", " + head.Case
			}
			if len(t.Protocol.EvaluationBatch) > 1 {
				head.Events, head.Further = t.Protocol.EvaluationBatch[i], i > 0
			}
			if !slices.ContainsFunc(out, func(d DatasetHead) bool { return d.ID == head.ID && d.Case == head.Case }) {
				out = append(out, head)
			}
		}
	}
	return out
}

// appendNew appends what the list does not have yet.
func appendNew[T comparable](list []T, more ...T) []T {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// KeyOf returns the key of the trial's record.
func KeyOf(t specs.Trial) record.Key {
	return record.Key{
		CellKey: record.CellKey{
			Suite: t.Suite, Dataset: t.Dataset, Task: t.Task, Setting: t.Setting, Case: t.Case, Model: t.ModelID, Variant: t.Variant,
		},
		Seed: t.Seed,
	}
}

// MadeBy reports whether the record was made under the trial's spec, and has
// not been edited since: its name would not tell.
func MadeBy(r record.Record, t specs.Trial) bool {
	var spec bytes.Buffer
	return json.Compact(&spec, r.Spec) == nil && bytes.Equal(spec.Bytes(), t.JSON()) &&
		t.Identity(r.DataChecksum, r.Numerics, r.Device) == r.Identity
}

// Fitting returns the records that are of one of the trials, in order: the same key
// and the same spec, on whatever data and numerics they were made.
func Fitting(records []record.Record, trials []specs.Trial) (fitting []record.Record) {
	fits := make([]bool, len(records))
	_ = lists.Parallel(len(records), func(i int) error {
		of := slices.IndexFunc(trials, func(t specs.Trial) bool { return KeyOf(t) == records[i].Key })
		fits[i] = of >= 0 && MadeBy(records[i], trials[of])
		return nil
	})
	for i, r := range records {
		if fits[i] {
			fitting = append(fitting, r)
		}
	}
	return fitting
}

// FitOrForeign selects the records of a folder that is compared with others,
// perhaps of another version: those that fit the trials. Of models without
// any of those it uses records of another spec, as long as all of the model
// have the same one; otherwise they are left out, and counted as unclear.
func FitOrForeign(records []record.Record, trials []specs.Trial) (use []record.Record, unclear int) {
	for _, cell := range lists.GroupBy(records, func(r record.Record) record.CellKey { return r.Key.CellKey }) {
		fitting := Fitting(cell, trials)
		switch {
		case len(fitting) > 0:
			use = append(use, fitting...)
		case slices.ContainsFunc(cell, func(r record.Record) bool { return !r.SameSpec(cell[0]) }):
			unclear += len(cell)
		default:
			use = append(use, cell...)
		}
	}
	return use, unclear
}
