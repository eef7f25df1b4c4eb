package results

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"dgsbench/internal/lists"
	"dgsbench/internal/ram"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Aggregate summarises records over seeds, in order of key: a cell for every
// evaluation of a trial. Metrics are computed from the facts in the store, so
// that they do not depend on what was known when the trial ran. It is an error
// when two records are of the same trial, or when the seeds of a cell differ in
// more than the seed. Tables that are shown add the metrics that they need. progress,
// unless it is nil, is called with the share of the work done.
func Aggregate(s record.Store, records []record.Record, shown specs.Tables, progress func(share float64)) ([]Cell, error) {
	cells, err := newCells(records)
	if err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, nil
	}
	known := openDraws(s, cells[0].Suite)
	var out []Cell
	for _, same := range lists.GroupBy(cells, Cell.Place) { // they share the events, and so the draws
		within := func(share float64) {
			if progress != nil {
				progress((float64(len(out)) + share*float64(len(same))) / float64(len(cells)))
			}
		}
		if err := ram.Check(fmt.Sprintf("the tables of %s", same[0].CellKey), bytesOf(same, shown)); err != nil {
			return nil, fmt.Errorf("%w; leave models or datasets out with --models and --datasets, or take a machine with more", err)
		}
		if err := summarise(s, same, shown, known, within); err != nil {
			return nil, err
		}
		within(1)
		out = append(out, same...)
	}
	known.save()
	return out, nil
}

// bytesOf returns the memory that summarising the cells of a place takes:
// the facts of all seeds, packed and unpacked, each metric prepared on them,
// the draws of every row, and weights a core.
func bytesOf(cells []Cell, shown specs.Tables) (bytes int64) {
	const (
		fact     = 12       // of an event and a set of candidates: counts; less for scores
		packed   = 2 * fact // of one record a core
		prepared = 8        // a value of a metric
		kept     = 12       // of an event, by a metric that is named
		ofCurves = 4 * kept // by all points of curves together: an event is in one of each
		weight   = 4        // of an event in a draw
		draws    = 8 * metrics.NumDraws
	)
	largest := int64(0)
	for _, c := range cells {
		parts, more := record.Parts(c.Task, c.evaluation), Named(shown, c.records[0])
		each := int64(fact + prepared*len(metrics.Of(c.Task)))
		for _, m := range more {
			if !m.OfCurve && (m.Days || m.LogOdds || c.Task == protocol.LinkPrediction) { // others share the order of scores
				each += kept
			}
		}
		if slices.ContainsFunc(more, func(m metrics.Metric) bool { return m.OfCurve }) {
			each += ofCurves
		}
		bytes += int64(len(parts)*len(metrics.Of(c.Task))+len(more)) * draws
		for _, r := range c.records {
			if r.Failed() || r.Data == nil || len(r.Data.Parts) == 0 {
				continue
			}
			events := int64(0)
			for _, p := range r.Data.Parts[1:] { // all but training
				events, largest = events+int64(p.Events), max(largest, int64(p.Events))
			}
			scored := events * int64(len(parts)/2) // of each set of candidates
			bytes += scored * each
			largest = max(largest, scored*packed/weight)
		}
	}
	return bytes + weight*largest*int64(runtime.GOMAXPROCS(0))
}

// newCells groups records by all but the seed. It returns a cell of each
// evaluation with its records, in order of place.
func newCells(records []record.Record) ([]Cell, error) {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b record.Record) int {
		return cmp.Or(a.Key.CellKey.Compare(b.Key.CellKey), cmp.Compare(a.Device, b.Device), cmp.Compare(a.Key.Seed, b.Key.Seed))
	})
	type key struct {
		record.CellKey
		device string
	}
	var cells []Cell
	for _, seeds := range lists.GroupBy(sorted, func(r record.Record) key { return key{r.Key.CellKey, r.Device} }) {
		for i := range seeds[1:] {
			if err := checkPair(seeds[i], seeds[i+1]); err != nil {
				return nil, err
			}
		}
		for _, e := range seeds[0].Evaluated() { // those of the spec, which all seeds share
			cells = append(cells, Cell{CellKey: seeds[0].Key.Evaluated(e), evaluation: e, records: seeds})
		}
	}
	slices.SortStableFunc(cells, func(a, b Cell) int { return a.Place().Compare(b.Place()) })
	return cells, nil
}

// checkPair reports why two records cannot be seeds of one cell.
func checkPair(a, b record.Record) error {
	files := fmt.Sprintf("%s and %s", a.Key.Path(a.Identity), b.Key.Path(b.Identity))
	switch {
	case a.Key.Seed == b.Key.Seed:
		return fmt.Errorf("%s are of the same trial; keep one of them", files)
	case a.DataChecksum != b.DataChecksum:
		return fmt.Errorf("%s are of different data; keep the ones that belong together", files)
	case !a.SameSpec(b):
		return fmt.Errorf("%s have different specifications; keep the ones that belong together", files)
	}
	return nil
}
