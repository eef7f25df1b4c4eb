package plan

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/latency"
	"dgsbench/harness/live"
	"dgsbench/internal/lists"
	"dgsbench/kernels/devices"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// budget is about how long the estimate of a cell takes.
const budget = 150 * time.Millisecond

// planner is a plan in the making.
type planner struct {
	Question
	out   Plan
	cells []*cell // in the suite's order
}

// cell is a Cell with its trials, of which the first is estimated.
type cell struct {
	Cell
	trials   []specs.Trial
	found    []record.Record   // of the trials
	estimate *harness.Estimate // nil where nothing is estimated
}

// newPlanner groups the trials of the question by cells, in the suite's order.
func newPlanner(q Question) *planner {
	p := &planner{Question: q, out: Plan{
		Suite: q.Trials[0].Suite, About: q.Trials[0].About, Machine: harness.Machine(q.Device),
		Workers: max(1, min(cmp.Or(q.Workers, q.Device.Workers()), len(q.Trials))), Cells: []Cell{}, Missing: []Missing{},
	}}
	host := devices.Target{}.Memory()
	p.out.Free, p.out.Known = host.Free, host.Known
	if q.Device.SeparateMemory() {
		m := q.Device.Memory()
		p.out.Card = &Card{Free: m.Free, Total: m.Total}
	}
	keyOf := func(t specs.Trial) record.CellKey { return results.KeyOf(t).CellKey }
	for _, trials := range lists.GroupBy(q.Trials, keyOf) {
		first := trials[0]
		p.cells = append(p.cells, &cell{trials: trials, Cell: Cell{
			CellKey: keyOf(first), Title: first.Title, Trials: len(trials), Latency: first.IsLatency(), Live: first.IsLive(),
		}})
	}
	return p
}

// byDataset groups the cells by their dataset, in the suite's order.
func (p *planner) byDataset() [][]*cell {
	return lists.GroupBy(p.cells, func(c *cell) string { return c.Dataset })
}

// Make plans the trials. The error is ctx's, or that of an existing dataset file.
func Make(ctx context.Context, q Question, h Hooks) (Plan, error) {
	p := newPlanner(q)
	if err := datasets.CheckRoom(lists.Unique(q.Trials, func(t specs.Trial) string { return t.Dataset })); err != nil {
		return Plan{}, err
	}
	h.Start(len(p.cells))
	for _, cells := range p.byDataset() {
		if err := p.dataset(ctx, cells, h.Step); err != nil {
			return Plan{}, err
		}
	}
	p.total()
	return p.out, nil
}

// dataset plans the cells of one dataset: from records, else by estimates.
func (p *planner) dataset(ctx context.Context, cells []*cell, step func()) error {
	loaded, source, err := load(cells[0].Dataset, p.DataDir, &p.out.Missing)
	if err != nil {
		return err
	}
	bytes := datasets.Bytes(loaded.Stream.Len(), loaded.Stream.NumFeat)
	p.out.Data += bytes
	for _, c := range cells {
		c.Source, c.Disk, c.Data = source, diskOf(c.trials[0], loaded), bytes
	}
	if err := p.findRecords(cells, loaded); err != nil {
		return err
	}
	var list []*harness.Estimate
	cut := harness.NewCutter(loaded)
	for _, c := range cells {
		if err := p.prepare(c, loaded, cut); err != nil {
			c.Source, c.Problem = Unplanned, err.Error()
		}
		if c.estimate != nil {
			list = append(list, c.estimate)
		} else {
			step()
		}
	}
	err = harness.EstimateAll(ctx, list, p.out.Workers, budget, p.out.limit(), step)
	for _, c := range cells {
		e := c.estimate
		if e == nil {
			continue
		}
		c.Seconds, c.Training, c.Least, c.Memory = e.Seconds, e.Training, e.Least, e.Bytes
		if c.Live {
			c.Seconds += live.Expect(*c.trials[0].Protocol.Live)
		}
		if p.out.Card != nil {
			c.Memory, c.OnCard = e.Host, e.Bytes
		}
		if e.Err != nil {
			c.Source, c.Problem = Unplanned, e.Err.Error()
		}
	}
	return err
}

// prepare sets the estimate of a cell that needs one, and times a latency test at once.
func (p *planner) prepare(c *cell, l *datasets.Loaded, cut *harness.Cutter) (err error) {
	switch {
	case c.ToDo == 0 && c.Source != Recorded:
		c.Source = Measured
	case c.Latency:
		c.Seconds, err = latency.Expect(c.trials[0], l, p.Device, runtime.GOMAXPROCS(0), budget)
	case c.Source != Recorded:
		var parts datasets.Parts
		if parts, err = cut.Parts(c.trials[0]); err == nil {
			if c.Live { // its training; what comes then is in live.Expect
				parts.Test = parts.Test.Slice(0, 0)
			}
			c.estimate = &harness.Estimate{Trial: c.trials[0], Parts: parts, Device: p.Device, Checkpoint: p.Checkpoints}
		}
	}
	return err
}

// findRecords counts the trials of a dataset's cells that are to be done, and
// takes times from those that were done on this machine. All latency tests of
// the dataset are to be done if one is, and so are all live tests: see latency.Missing. It
// fails where the test part is too short for a trial.
func (p *planner) findRecords(cells []*cell, l *datasets.Loaded) error {
	cut := harness.NewCutter(l)
	for _, c := range cells {
		if err := cut.Check(c.trials[0]); err != nil {
			return err
		}
		sum, n := 0.0, 0
		for _, t := range c.trials {
			want := harness.Describe(t, l, p.Device)
			r, found, err := harness.Find(p.Store, t, want, p.Checkpoints && !t.IsTimed())
			if err != nil {
				return err
			}
			if !found {
				c.ToDo++
				continue
			}
			c.found = append(c.found, r)
			if !c.Latency && !r.Failed() && r.Machine == want.Machine {
				sum, n = sum+r.Durations.Total, n+1
			}
		}
		if n > 0 {
			c.Seconds, c.Source = sum/float64(n), Recorded
		}
	}
	together(cells, func(c *cell) bool { return c.Latency })
	together(cells, func(c *cell) bool { return c.Live })
	return nil
}

// together has all tests of the cells of one kind done again, unless they all have a
// record, and of one run.
func together(cells []*cell, ofKind func(*cell) bool) {
	cells = slices.DeleteFunc(slices.Clone(cells), func(c *cell) bool { return !ofKind(c) })
	var found []record.Record
	n := 0
	for _, c := range cells {
		found, n = append(found, c.found...), n+c.Trials
	}
	if !latency.AllOfOneRun(found, n) {
		for _, c := range cells {
			c.ToDo = c.Trials
		}
	}
}

// total adds up what the cells take.
func (p *planner) total() {
	var costs, least []harness.Cost
	for _, c := range p.cells {
		p.out.Trials += c.Trials
		p.out.ToDo += c.ToDo
		p.out.Cells = append(p.out.Cells, c.Cell)
		p.out.Disk += int64(c.ToDo) * c.Disk
		alone := float64(c.ToDo) * c.Seconds
		switch {
		case c.Latency:
			p.out.Latency += alone
			continue
		case c.Live:
			p.out.Live += alone
			continue
		}
		cost := harness.Cost{Seconds: c.Seconds, Bytes: p.out.needs(c.Cell), Host: c.Memory}
		costs = append(costs, slices.Repeat([]harness.Cost{cost}, c.ToDo)...)
		cost.Seconds = cmp.Or(c.Least, c.Seconds)
		least = append(least, slices.Repeat([]harness.Cost{cost}, c.ToDo)...)
	}
	all, tests := harness.SideBySide(costs, p.out.Workers, p.out.limit()), p.out.Latency+p.out.Live
	p.out.Seconds, p.out.Memory = all.Seconds+tests, p.out.Data+all.Host
	p.out.Least = harness.SideBySide(least, p.out.Workers, p.out.limit()).Seconds + tests
	if p.out.Card == nil {
		return
	}
	p.out.Card.Hours, p.out.Card.Memory = p.out.Seconds/3600, all.Bytes
	for _, c := range p.cells {
		if c.ToDo > 0 && c.OnCard > p.out.Card.Largest {
			p.out.Card.Largest, p.out.Card.Which = c.OnCard, specs.JoinRef(c.Model, c.Variant)+" on "+c.Dataset
			p.out.Card.Room = p.out.Card.Free / p.out.Card.Largest
		}
	}
}

// Count is like Make, but estimates nothing: it says which trials are to be done,
// not what they take. Only data that records may have been made of, or whose test
// part may be shorter than a batch, is read.
func Count(q Question) (Plan, error) {
	p := newPlanner(q)
	for _, cells := range p.byDataset() {
		if err := p.count(cells); err != nil {
			return Plan{}, err
		}
	}
	p.total()
	return p.out, nil
}

// count counts the trials of a dataset's cells that are to be done.
func (p *planner) count(cells []*cell) error {
	name := cells[0].Dataset
	d, err := datasets.Lookup(name)
	if err != nil {
		return err
	}
	err = d.Present(p.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		p.out.Missing = append(p.out.Missing, Missing{Dataset: name, How: err.Error()})
	} else if err != nil {
		return err
	}
	needed := func(c *cell) bool {
		_, err := os.Stat(filepath.Join(p.Store.Dir, c.Folder()))
		return err == nil || len(c.trials[0].Protocol.EvaluationBatch) > 0
	}
	if err != nil || !slices.ContainsFunc(cells, needed) {
		for _, c := range cells {
			c.ToDo = c.Trials
		}
		return nil
	}
	loaded, err := d.Load(p.DataDir)
	if err != nil {
		return err
	}
	return p.findRecords(cells, loaded)
}
