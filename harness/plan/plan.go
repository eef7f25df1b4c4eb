// Package plan says what a suite takes before anything starts: trials, hours,
// memory and disk on this machine.
//
// Times come from records of this machine where there are any. Elsewhere each
// cell is estimated on its own dataset: some windows are run, with as many other
// cells side by side as will later be measured so, and their times are scaled to
// the numbers of windows of a trial. A dataset whose file is missing
// is replaced by a simulated stream of the same size.
//
// Searches of options are planned in the same way: by their trials so far, or
// by estimating the random ones that they begin with.
//
// Training that is stopped early takes less than planned.
package plan

import (
	"dgsbench/harness/tune"
	"dgsbench/internal/lists"
	"dgsbench/kernels/devices"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Question is what is to be planned: Trials, or Studies.
type Question struct {
	Trials      []specs.Trial
	Studies     []tune.Study
	Store       record.Store // also of the histories of studies
	Checkpoints bool         // a trial is over when it has one beside its record
	DataDir     string
	Workers     int // trials side by side; 0 is the device's default
	Device      devices.Target
}

// Source says where a time comes from.
type Source string

// The sources, the best one first.
const (
	Recorded  Source = "records"      // of finished trials of the cell on this machine
	Past      Source = "past trials"  // of the same search
	Estimated Source = "estimated"    // from windows of the dataset
	StoodIn   Source = "stand-in"     // estimated on a simulated stream of the same size
	Measured  Source = "all measured" // nothing to do, elsewhere or without success
	Unplanned Source = "not planned"  // see Problem
)

// Cell is what the trials of a table cell take. Times are seconds, sizes bytes.
type Cell struct {
	record.CellKey
	Title    string  `json:"title"`
	Trials   int     `json:"trials"`
	ToDo     int     `json:"to_do"` // without a record
	Seconds  float64 `json:"seconds_each"`
	Training float64 `json:"training_seconds_each,omitempty"` // of these, as estimated
	Least    float64 `json:"least_seconds_each,omitempty"`    // if training stops as early as it may, as estimated
	Memory   int64   `json:"memory_each"`                     // of the model, beside the data; the host's where it is on a card
	OnCard   int64   `json:"card_memory_each,omitempty"`
	Data     int64   `json:"memory_data"` // of its dataset, which trials share
	Disk     int64   `json:"disk_each"`
	Latency  bool    `json:"latency"` // a latency test, which runs alone
	Live     bool    `json:"live"`    // a live test, which does so, too
	Source   Source  `json:"source"`
	Problem  string  `json:"problem,omitempty"`
}

// Missing is a dataset whose file is not there.
type Missing struct {
	Dataset string `json:"dataset"`
	How     string `json:"how"` // to get it
}

// Card is what a plan takes of a card. Sizes are bytes.
type Card struct {
	Hours   float64 `json:"hours"` // of one card, latency and live tests included
	Memory  int64   `json:"memory"`
	Free    int64   `json:"memory_free"`
	Total   int64   `json:"memory_total"`
	Largest int64   `json:"memory_largest"` // of one trial that is to be done
	Which   string  `json:"largest,omitempty"`
	Room    int64   `json:"largest_side_by_side"` // how many such fit
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
	Seconds float64   `json:"seconds"`       // of the wall clock, latency and live tests included
	Least   float64   `json:"least_seconds"` // if all training stops as early as it may
	Latency float64   `json:"latency_seconds"`
	Live    float64   `json:"live_seconds"`
	Memory  int64     `json:"memory"`                // at most at once: data and models side by side
	Data    int64     `json:"memory_data,omitempty"` // of Memory, that of all streams
	Free    int64     `json:"memory_free"`
	Known   bool      `json:"memory_known"`   // whether the system says what is free
	Card    *Card     `json:"card,omitempty"` // nil on the processor
	Disk    int64     `json:"disk"`
	Missing []Missing `json:"missing"`
}

// Hooks report what is going on; they must be set.
type Hooks struct {
	Start func(n int) // things to plan
	Step  func()      // one of them is planned
}

// TooLarge returns the first cell with a trial that does not fit into the memory,
// that of the card if there is one.
func (p Plan) TooLarge() (which Cell, found bool) {
	return lists.Find(p.Cells, func(c Cell) bool { return c.ToDo > 0 && p.needs(c) > p.limit() })
}

// limit returns the memory that models may take: on the processor, beside the data.
func (p Plan) limit() int64 {
	if p.Card != nil {
		return p.Card.Free
	}
	return p.Free - p.Data
}

// needs returns what a trial of the cell takes of it.
func (p Plan) needs(c Cell) int64 {
	if p.Card != nil {
		return c.OnCard
	}
	return c.Memory
}
