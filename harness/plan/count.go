package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"

	"dgsbench/datasets"
	"dgsbench/specs"
)

// Count is Make without the times: it says which trials are to be done, and
// tries nothing out. Seconds, Memory, Disk and Source are not set. Only data
// that records may have been made of is read.
func Count(q Question) (Plan, error) {
	p := newPlanner(q)
	for _, name := range p.datasets {
		if err := p.count(name); err != nil {
			return Plan{}, err
		}
	}
	for _, c := range p.cells {
		p.out.Trials += c.Trials
		p.out.ToDo += c.ToDo
		p.out.Cells = append(p.out.Cells, Cell{CellKey: c.CellKey, Title: c.Title, Latency: c.Latency, Trials: c.Trials, ToDo: c.ToDo})
	}
	return p.out, nil
}

// count fills in how many trials of a dataset there are and are to be done.
func (p *planner) count(name string) error {
	d, err := datasets.Lookup(name)
	if err != nil {
		return err
	}
	cells := p.cellsOf(name)
	err = d.Present(p.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		p.out.Missing = append(p.out.Missing, Missing{Dataset: name, How: err.Error()})
	} else if err != nil {
		return err
	}
	if err != nil || !p.mayHaveRecords(cells) {
		for _, c := range cells {
			c.Trials, c.ToDo = len(c.trials), len(c.trials)
		}
		return nil
	}
	loaded, err := d.Load(p.DataDir)
	if err != nil {
		return err
	}
	return p.lookAt(cells, loaded)
}

// mayHaveRecords reports whether the folder of any of the cells is there.
func (p *planner) mayHaveRecords(cells []*cell) bool {
	for _, c := range cells {
		if _, err := os.Stat(filepath.Join(p.Store.Dir, c.Folder())); err == nil {
			return true
		}
	}
	return false
}

// WriteCounts writes for readers what a plan of Count says: a line a cell, and
// the files to be got first.
func (p Plan) WriteCounts(w io.Writer) error {
	fmt.Fprintf(w, "Suite %s: %s\n\n", p.Suite, p.About)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "DATASET\tTASK\tMODEL\tTRIALS\tMEASURED\tTO DO")
	for _, c := range p.Cells {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\n", c.Dataset, c.where(), specs.JoinRef(c.Model, c.Variant), c.Trials, c.Trials-c.ToDo, c.ToDo)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i, m := range p.Missing {
		if i == 0 {
			fmt.Fprintln(w, "\nmissing:")
		}
		fmt.Fprintf(w, "  %s\n", m.How)
	}
	return nil
}
