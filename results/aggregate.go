package results

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"dgsbench/internal/ram"
	"dgsbench/metrics"
	"dgsbench/results/record"
)

// Aggregate summarises records over seeds, in order of key: a cell for every
// evaluation of a trial. Metrics are
// computed from the facts in the store, so that they do not depend on what
// was known when the trial ran. It is an error when two records are of the
// same trial, or when the seeds of a cell differ in more than the seed. progress,
// unless it is nil, is told the share of the work that is done.
func Aggregate(s record.Store, records []record.Record, progress func(share float64)) ([]Cell, error) {
	groups, err := groupBySeeds(records)
	if err != nil {
		return nil, err
	}
	var cells []Cell
	all := len(groups)
	for len(groups) > 0 {
		n := 1 // groups of the same place share their events, and so the draws
		for n < len(groups) && groups[n].key.Place() == groups[0].key.Place() {
			n++
		}
		var within func(share float64)
		if progress != nil {
			within = func(share float64) { progress((float64(len(cells)) + share*float64(n)) / float64(all)) }
		}
		if err := ram.Check(fmt.Sprintf("the tables of %s", groups[0].key), bytesOf(groups[:n])); err != nil {
			return nil, fmt.Errorf("%w; leave models or datasets out with --models and --datasets, or take a machine with more", err)
		}
		some, err := summarise(s, groups[:n], within)
		if err != nil {
			return nil, err
		}
		cells, groups = append(cells, some...), groups[n:]
	}
	return cells, nil
}

// bytesOf is the memory that summarising groups of the same place takes: the
// facts of all seeds, packed and unpacked, each metric prepared on them, the
// draws of every row, and weights a core.
func bytesOf(groups []group) (bytes int64) {
	const (
		fact     = 12       // of an event and a set of candidates: counts; less for scores
		packed   = 2 * fact // of one record at a time
		prepared = 8        // a value of a metric
		weight   = 4        // of an event in a draw
		draws    = 8 * metrics.NumDraws
	)
	largest := int64(0)
	for _, g := range groups {
		parts := record.Parts(g.key.Task)
		each := int64(fact + prepared*len(metrics.Of(g.key.Task)))
		bytes += int64(len(parts)*len(metrics.Of(g.key.Task))) * draws
		for _, r := range g.records {
			if r.Failed() || r.Data == nil || len(r.Data.Parts) == 0 {
				continue
			}
			events, scored := int64(0), int64(0)
			for _, p := range r.Data.Parts[1:] { // all but training
				events, largest = events+int64(p.Events), max(largest, int64(p.Events))
			}
			if scored = events; len(parts) > 2 { // of each set of candidates
				scored = events * int64(len(parts)/2)
			}
			bytes += scored * each
			largest = max(largest, scored*packed/weight)
		}
	}
	return bytes + weight*largest*int64(runtime.GOMAXPROCS(0))
}

// group is one evaluation of the trials of one cell.
type group struct {
	key        record.CellKey // of the evaluation
	evaluation string
	records    []record.Record // in order of seed
}

// groupBySeeds puts the records of each cell together, in order of key.
func groupBySeeds(records []record.Record) ([]group, error) {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b record.Record) int {
		return cmp.Or(compareCells(a, b), cmp.Compare(a.Key.Seed, b.Key.Seed))
	})
	var cells [][]record.Record
	for i, r := range sorted {
		if i == 0 || compareCells(sorted[i-1], r) != 0 {
			cells = append(cells, []record.Record{r})
			continue
		}
		last := &cells[len(cells)-1]
		if err := checkPair(sorted[i-1], r); err != nil {
			return nil, err
		}
		*last = append(*last, r)
	}
	return byEvaluation(cells), nil
}

// byEvaluation makes a group of every evaluation of the cells, in order of
// place.
func byEvaluation(cells [][]record.Record) []group {
	var groups []group
	for _, c := range cells {
		key := c[0].Key.CellKey
		groups = append(groups, group{key, "", c})
		for _, e := range c[0].Evaluations { // those of the spec, which all seeds share
			groups = append(groups, group{key.Evaluated(e), e, c})
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return comparePlaces(a.key, b.key) })
	return groups
}

func compareCells(a, b record.Record) int {
	return cmp.Or(
		comparePlaces(a.Key.CellKey, b.Key.CellKey),
		cmp.Compare(a.Key.Model, b.Key.Model), cmp.Compare(a.Key.Variant, b.Key.Variant), cmp.Compare(a.Device, b.Device),
	)
}

func comparePlaces(a, b record.CellKey) int {
	return cmp.Or(
		cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Task, b.Task),
		cmp.Compare(a.Setting, b.Setting), cmp.Compare(a.Case, b.Case),
	)
}

// checkPair refuses to average what does not belong together.
func checkPair(a, b record.Record) error {
	files := fmt.Sprintf("%s and %s", a.Key.Path(a.Identity), b.Key.Path(b.Identity))
	switch {
	case a.Key.Seed == b.Key.Seed:
		return fmt.Errorf("%s are of the same trial; keep one of them", files)
	case a.DataChecksum != b.DataChecksum:
		return fmt.Errorf("%s are of different data; keep the ones that belong together", files)
	case a.SpecBut("seed") != b.SpecBut("seed"):
		return fmt.Errorf("%s have different specifications; keep the ones that belong together", files)
	}
	return nil
}
