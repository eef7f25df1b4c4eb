package results

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// fewestForStd is the number of seeds below which no deviation is given.
const fewestForStd = 3

// Cell is what all seeds of one model gave on one dataset, task and setting.
type Cell struct {
	record.CellKey
	Title    string // as tables print the model
	Class    protocol.Class
	Device   string
	Seeds    int      // that finished
	Failures []string // messages of those that failed, in order of seed
	Stale    bool     // some record is of another numerics version
	Notes    []string // the records' footnotes, each once

	Positives  int      // positive events of the test part; node classification only
	Features   int      // of an event in the file; 0 in older records
	State      int      // numbers kept of a node; 0 where none are, and in older records
	Searches   []string // records of the searches that chose options
	Rising     int      // seeds whose validation metric still rose when training had to end
	Duplicates []string // footnotes about cells that should not have bit for bit the same test scores
	Rows       []Row    // empty when no seed finished

	chosen     string          // the rule that the validation chose, if there are several
	evaluation string          // of the trials
	records    []record.Record // in order of seed
	method     string          // what is measured, whatever it is called
	digests    []seedDigest    // of the seeds that finished
	estimates  []estimate      // of the test metrics that models are compared by
	by         metrics.Metric  // by which epochs are selected
}

// title returns that of the model, or its id where the records have none.
func (c *Cell) title() string { return cmp.Or(c.Title, c.Model) }

// Rows lists the rows of all cells.
func Rows(cells []Cell) []Row {
	return slices.Concat(lists.Map(cells, func(c Cell) []Row { return c.Rows })...)
}

// summarise fills in the cells of one place from their records.
func summarise(s record.Store, cells []Cell, shown specs.Tables, known *draws, progress func(share float64)) error {
	rows := make([][]*pendingRow, len(cells))
	err := lists.Parallel(len(cells), func(i int) (err error) {
		rows[i], err = cells[i].pending(s, shown)
		return err
	})
	if err != nil {
		return err
	}
	pending := slices.Concat(rows...)
	resample(pending, known, progress)
	for _, p := range pending {
		p.cell.Rows = append(p.cell.Rows, p.row)
	}
	addDuplicates(cells)
	return nil
}

// pending reads the cell's records and returns its rows, without their intervals.
func (c *Cell) pending(s record.Store, shown specs.Tables) ([]*pendingRow, error) {
	var pending []*pendingRow
	seeds, err := c.read(s)
	if err != nil {
		return nil, err
	}
	for _, part := range record.Parts(c.Task, c.evaluation) {
		var more, listed []metrics.Metric
		if part.Split == protocol.Test {
			more, listed = Named(shown, c.records[0]), Named(shown.Listed(), c.records[0])
		}
		rows, err := c.summarise(part, seeds, more)
		if err != nil {
			return nil, err
		}
		for _, p := range rows {
			named := func(m metrics.Metric) bool { return m.Name == p.metric.Name }
			p.plain = slices.ContainsFunc(more, named) && !slices.ContainsFunc(slices.Concat(listed, metrics.Of(c.Task), []metrics.Metric{c.by}), named)
		}
		pending = append(pending, rows...)
	}
	return pending, nil
}

// read fills in all but the rows, and returns the facts of the seeds that
// finished.
func (c *Cell) read(s record.Store) ([]record.Observed, error) {
	first := c.records[0]
	c.Title, c.Class, c.Device, c.State, c.chosen = first.ModelTitle, first.ModelClass, first.Device, first.StateSize, first.Chosen
	if first.Data != nil {
		c.Features = first.Data.Features
	}
	var err error
	if c.Searches, err = first.Searches(); err != nil {
		return nil, err
	}
	c.method, c.by = first.SpecBut("seed", "model", "variant"), first.SelectedBy()
	var finished []record.Observed
	for _, r := range c.records {
		c.Stale = c.Stale || r.Stale()
		c.Notes = appendNew(c.Notes, r.Footnotes...)
		if r.Failed() {
			c.Failures = append(c.Failures, r.Error)
			continue
		}
		observed, err := s.Facts(r)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(observed, func(p record.Part, _ metrics.Facts) bool { return p.Evaluation != c.evaluation })
		finished = append(finished, observed)
		if informative(observed) {
			c.digests = append(c.digests, seedDigest{r.Key.Seed, observed.TestDigest(c.evaluation)})
		}
		if rising(r) {
			c.Rising++
		}
	}
	c.Seeds = len(finished)
	if c.Seeds > 0 {
		c.Positives = finished[0][record.Part{Split: protocol.Test, Evaluation: c.evaluation}].Positives()
	}
	return finished, nil
}

// pendingRow is a row that still lacks its interval.
type pendingRow struct {
	cell     *Cell
	metric   metrics.Metric
	row      Row
	facts    []metrics.Facts    // of each seed
	seeds    []metrics.Weighted // the metric on them
	values   []float64          // on all events
	compared bool
	plain    bool // without an interval
	key      drawsKey
}

// finish fills in what follows from the values on each draw of events.
func (p *pendingRow) finish(draws []float64) {
	low, high := metrics.Interval(draws)
	p.row.CILow, p.row.CIHigh = optional.Number(low), optional.Number(high)
	if p.compared && p.row.Split == protocol.Test {
		p.cell.estimates = append(p.cell.estimates, estimate{
			metrics.Estimate{Seeds: p.values, Draws: draws, Exact: p.cell.Class != protocol.Learned},
			p.metric, p.row.Candidates, p.facts[0].Len(), p.facts[0].Label,
		})
	}
}

// summarise makes a row a metric: those of every record, the one that epochs are
// selected by, and more, which models are compared by as by the headline. A part
// that no seed has gives none.
func (c *Cell) summarise(part record.Part, seeds []record.Observed, more []metrics.Metric) ([]*pendingRow, error) {
	var facts []metrics.Facts
	for _, o := range seeds {
		if f, ok := o[part]; ok {
			if f.Score != nil {
				f = f.Sorted()
			}
			facts = append(facts, f)
		}
	}
	if len(facts) == 0 {
		return nil, nil
	}
	for _, f := range facts {
		if len(facts) != len(seeds) || f.Len() != facts[0].Len() {
			return nil, fmt.Errorf("%s: its seeds have different events in %s; remove its records to have it run again",
				c.CellKey, part.Split)
		}
	}
	caveat, degenerate := caveatOf(facts)
	sum := checksumOf(facts)
	var rows []*pendingRow
	called := func(name string) func(metrics.Metric) bool {
		return func(m metrics.Metric) bool { return m.Name == name }
	}
	all := metrics.Of(c.Task)
	headline := all[0].Name
	for _, m := range append([]metrics.Metric{c.by}, more...) {
		if !slices.ContainsFunc(all, called(m.Name)) {
			all = append(all, m)
		}
	}
	for _, m := range all {
		p := &pendingRow{cell: c, metric: m, facts: facts, key: keyOf(m.Name, sum)}
		p.compared = m.Name == headline || !m.OfCurve && slices.ContainsFunc(more, called(m.Name))
		var undefined error
		for _, f := range facts {
			value := m.Prepare(f)
			p.seeds, p.values = append(p.seeds, value), append(p.values, value(nil))
			if last := p.values[len(p.values)-1]; math.IsNaN(last) {
				undefined = m.Undefined(f)
			}
		}
		p.row = Row{
			CellKey: c.CellKey, Candidates: part.Candidates, Split: part.Split, Device: c.Device,
			Metric: m.Name, Unit: m.Unit, N: len(facts), Mean: optional.Number(stat.Mean(p.values, nil)),
			Std: optional.Absent(), CILow: optional.Absent(), CIHigh: optional.Absent(), Caveat: caveat, Degenerate: degenerate,
			undefined: undefined,
		}
		if len(facts) >= fewestForStd {
			p.row.Std = optional.Number(stat.StdDev(p.values, nil))
		}
		rows = append(rows, p)
	}
	return rows, nil
}

// resample fills in the intervals, but those of degenerate rows, which would be
// of no width or without meaning. Rows with the same number of events share
// the draws. progress is called with the share of the rows done.
func resample(rows []*pendingRow, known *draws, progress func(share float64)) {
	var resampled []*pendingRow
	for _, p := range rows {
		if !p.row.Mean.Present() || p.row.Degenerate || p.plain {
			continue
		}
		if values, ok := known.get(p.key); ok {
			p.finish(values)
		} else {
			resampled = append(resampled, p)
		}
	}
	done := len(rows) - len(resampled)
	for _, same := range lists.GroupBy(resampled, func(p *pendingRow) int { return p.facts[0].Len() }) {
		prepared := lists.Map(same, func(p *pendingRow) []metrics.Weighted { return p.seeds })
		within := func(share float64) { progress((float64(done) + share*float64(len(same))) / float64(len(rows))) }
		for i, draws := range metrics.Bootstrap(same[0].facts[0].Len(), prepared, within) {
			known.put(same[i].key, draws)
			same[i].finish(draws)
		}
		done += len(same)
	}
}
