package plan

import (
	"context"
	"runtime"
	"slices"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/latency"
	"dgsbench/internal/ram"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// planner is a plan in the making.
type planner struct {
	Question
	Hooks
	out      Plan
	cells    []*cell
	datasets []string // in the suite's order
}

// cell is a cell with its trials.
type cell struct {
	Cell
	trials []specs.Trial
	found  []record.Record // of latency tests
}

// newPlanner knows the cells of the question.
func newPlanner(q Question) *planner {
	p := &planner{Question: q}
	p.Workers = max(1, min(harness.Workers(q.Workers, q.Device), len(q.Trials)))
	p.out = Plan{
		Suite: q.Trials[0].Suite, About: q.Trials[0].About, Machine: harness.Machine(q.Device), Workers: p.Workers,
		Cells: []Cell{}, Missing: []Missing{},
	}
	if p.out.Free, p.out.Known = ram.Usable(); !p.out.Known {
		p.out.Free = unlimited
	}
	p.out.Card = newCard(q.Device)
	p.gather()
	return p
}

// gather puts the trials of each cell together, in the suite's order.
func (p *planner) gather() {
	at := map[record.CellKey]*cell{}
	for _, t := range p.Trials {
		key := harness.KeyOf(t).CellKey
		if at[key] == nil {
			at[key] = &cell{Cell: Cell{CellKey: key, Title: t.Title, Latency: t.IsLatency()}}
			p.cells = append(p.cells, at[key])
		}
		at[key].trials = append(at[key].trials, t)
		if !slices.Contains(p.datasets, t.Dataset) {
			p.datasets = append(p.datasets, t.Dataset)
		}
	}
}

// dataset plans the cells of one.
func (p *planner) dataset(ctx context.Context, name string) error {
	loaded, source, missing, err := load(name, p.DataDir)
	if err != nil {
		return err
	}
	p.out.Missing = append(p.out.Missing, missing...)
	p.out.Data += datasets.Bytes(loaded.Stream.Len(), loaded.Stream.NumFeat)
	return p.plan(ctx, loaded, source)
}

// plan fills in the cells of a dataset: from records, else by trying out what
// is to be done.
func (p *planner) plan(ctx context.Context, l *datasets.Loaded, source Source) error {
	var list []*harness.Estimate
	of := map[*harness.Estimate]*cell{}
	cut := harness.NewCutter(l)
	cells := p.cellsOf(l.Dataset.Name)
	for _, c := range cells {
		c.Source, c.Disk = source, diskOf(c.trials[0], l)
	}
	if err := p.lookAt(cells, l); err != nil {
		return err
	}
	for _, c := range cells {
		switch {
		case c.ToDo == 0 && c.Source != Recorded:
			c.Source = Measured
		case c.Latency:
			p.timed(c, l)
		case c.Source != Recorded:
			parts, err := cut.Parts(c.trials[0])
			if err == nil {
				r := &harness.Estimate{Trial: c.trials[0], Parts: parts, Device: p.Device, Checkpoint: p.Checkpoints}
				list, of[r] = append(list, r), c
				continue
			}
			c.Source, c.Problem = Unplanned, err.Error()
		}
		p.Step(c.CellKey.String())
	}
	return p.rehearse(ctx, list, of)
}

func (p *planner) cellsOf(dataset string) []*cell {
	return slices.DeleteFunc(slices.Clone(p.cells), func(c *cell) bool { return c.Dataset != dataset })
}

// lookAt counts the trials of a dataset's cells, and those to be done.
func (p *planner) lookAt(cells []*cell, l *datasets.Loaded) error {
	for _, c := range cells {
		c.Trials = len(c.trials)
		if err := p.look(c, l); err != nil {
			return err
		}
	}
	timeTogether(cells)
	return nil
}

// timeTogether has all latency tests of a dataset to be done if one is: see
// latency.Missing.
func timeTogether(cells []*cell) {
	var records []record.Record
	tests := 0
	for _, c := range cells {
		if c.Latency {
			records, tests = append(records, c.found...), tests+c.Trials
		}
	}
	if latest, _ := record.LatestRun(records); len(latest) == tests {
		return
	}
	for _, c := range cells {
		if c.Latency {
			c.ToDo = c.Trials
		}
	}
}

// rehearse tries out cells side by side.
func (p *planner) rehearse(ctx context.Context, list []*harness.Estimate, of map[*harness.Estimate]*cell) error {
	err := harness.EstimateAll(ctx, list, p.Workers, each, p.out.room(), func(r *harness.Estimate) { p.Step(of[r].CellKey.String()) })
	for _, r := range list {
		c := of[r]
		c.Seconds, c.Memory = r.Seconds, r.Bytes
		if p.out.Card != nil {
			c.Memory, c.OnCard = r.Host, r.Bytes
		}
		switch {
		case r.Err != nil:
			c.Source, c.Problem = Unplanned, r.Err.Error()
		case r.Bytes > p.out.room():
			c.Source, c.Problem = Unplanned, "needs more memory than is free"
		}
	}
	return err
}

// timed plans a latency test.
func (p *planner) timed(c *cell, l *datasets.Loaded) {
	var err error
	if c.Seconds, err = latency.Expect(c.trials[0], l, p.Device, runtime.GOMAXPROCS(0), each); err != nil {
		c.Source, c.Problem = Unplanned, err.Error()
	}
}

// look counts the trials that are to be done, and takes the time from those
// that were done on this machine.
func (p *planner) look(c *cell, l *datasets.Loaded) error {
	sum, n := 0.0, 0
	for _, t := range c.trials {
		want := harness.Describe(t, l, p.Device)
		r, found, err := harness.Find(p.Store, t, want, p.Checkpoints)
		if err != nil {
			return err
		}
		switch {
		case !found:
			c.ToDo++
		case c.Latency:
			c.found = append(c.found, r)
		case !r.Failed() && r.Machine == want.Machine:
			sum, n = sum+r.Durations.Total, n+1
		}
	}
	if n > 0 {
		c.Seconds, c.Source = sum/float64(n), Recorded
	}
	return nil
}

// total adds up what the cells take.
func (p *planner) total() {
	var loads []harness.Cost
	for _, c := range p.cells {
		p.out.Trials += c.Trials
		p.out.ToDo += c.ToDo
		p.out.Disk += int64(c.ToDo) * c.Disk
		for range c.ToDo {
			if c.Latency {
				p.out.Latency += c.Seconds
			} else {
				loads = append(loads, p.load(c))
			}
		}
		p.out.Cells = append(p.out.Cells, c.Cell)
	}
	all := harness.SideBySide(loads, p.Workers, p.out.room())
	p.out.Seconds = all.Seconds + p.out.Latency
	if p.out.Card == nil {
		p.out.Memory = p.out.Data + all.Bytes
		return
	}
	p.out.Memory = p.out.Data + all.Host
	p.out.Card.sum(p.out, all.Bytes)
}

// load is what a trial of the cell takes.
func (p *planner) load(c *cell) harness.Cost {
	if p.out.Card == nil {
		return harness.Cost{Seconds: c.Seconds, Bytes: c.Memory}
	}
	return harness.Cost{Seconds: c.Seconds, Bytes: c.OnCard, Host: c.Memory}
}
