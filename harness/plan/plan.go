package plan

import (
	"context"
	"time"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Question is what is to be planned.
type Question struct {
	Trials      []specs.Trial
	Store       record.Store
	Checkpoints bool // a trial is over when it has one beside its record
	DataDir     string
	Workers     int // trials side by side; 0 leaves it to harness.Workers
	Device      devices.Target
}

// Source says where a cell's time comes from.
type Source string

// The sources, the best one first.
const (
	Recorded  Source = "records"      // of finished trials of the cell on this machine
	Tried     Source = "tried out"    // on the dataset
	StoodIn   Source = "stand-in"     // tried out on a simulated stream of the same size
	Measured  Source = "all measured" // nothing to do, elsewhere or without success
	Unplanned Source = "not planned"  // see Cell.Problem
)

// Cell is what the trials of one table cell take. Times are seconds, sizes
// bytes.
type Cell struct {
	record.CellKey
	Title   string  `json:"title"`
	Trials  int     `json:"trials"`
	ToDo    int     `json:"to_do"` // without a record
	Seconds float64 `json:"seconds_each"`
	Memory  int64   `json:"memory_each"` // of the model, beside the data; the host's where it is on a card
	OnCard  int64   `json:"card_memory_each,omitempty"`
	Disk    int64   `json:"disk_each"`
	Latency bool    `json:"latency"` // a latency test, which runs alone
	Source  Source  `json:"source"`
	Problem string  `json:"problem,omitempty"`
}

// Missing is a dataset whose file is not there.
type Missing struct {
	Dataset string `json:"dataset"`
	How     string `json:"how"` // to get it
}

// Plan is what a suite takes on this machine. Times are seconds, sizes bytes.
type Plan struct {
	Suite   string    `json:"suite"`
	About   string    `json:"about"`
	Machine string    `json:"machine"`
	Workers int       `json:"workers"`
	Cells   []Cell    `json:"cells"`
	Trials  int       `json:"trials"`
	ToDo    int       `json:"to_do"`
	Seconds float64   `json:"seconds"` // of the wall clock, latency tests included
	Latency float64   `json:"latency_seconds"`
	Memory  int64     `json:"memory"`                // at most at once: data and models side by side
	Data    int64     `json:"memory_data,omitempty"` // of Memory, that of all streams
	Free    int64     `json:"memory_free"`
	Known   bool      `json:"memory_known"`   // whether the system says what is free
	Card    *Card     `json:"card,omitempty"` // nil on the processor
	Disk    int64     `json:"disk"`
	Missing []Missing `json:"missing"`
}

// Hooks tell whoever watches what is going on; they must be set.
type Hooks struct {
	Start func(cells int)
	// Step says which cell is done.
	Step func(what string)
}

// each is about how long a cell is tried out.
const each = 150 * time.Millisecond

// Make plans the trials. The error says what is wrong with a dataset whose
// file is there, or is ctx's.
func Make(ctx context.Context, q Question, h Hooks) (Plan, error) {
	p := newPlanner(q)
	if err := datasets.CheckRoom(p.datasets); err != nil {
		return Plan{}, err
	}
	p.Hooks = h
	h.Start(len(p.cells))
	for _, dataset := range p.datasets {
		if err := p.dataset(ctx, dataset); err != nil {
			return Plan{}, err
		}
	}
	p.total()
	return p.out, nil
}

// Fits reports whether every trial has room in the memory, that of the card if
// there is one, and names the first one that has not.
func (p Plan) Fits() (ok bool, which Cell) {
	for _, c := range p.Cells {
		if c.ToDo > 0 && p.needs(c) > p.room() {
			return false, c
		}
	}
	return true, Cell{}
}

// unlimited is more memory than there is.
const unlimited = 1 << 62

// room is the memory that models may take: on the processor, beside the data.
func (p Plan) room() int64 {
	if p.Card != nil {
		return p.Card.Free
	}
	return p.Free - p.Data
}

// needs is what a trial of the cell takes of it.
func (p Plan) needs(c Cell) int64 {
	if p.Card != nil {
		return c.OnCard
	}
	return c.Memory
}
