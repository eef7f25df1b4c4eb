package plan

import (
	"context"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/tune"
	"dgsbench/kernels/devices"
	"dgsbench/protocol"
)

// TuningQuestion is which searches are to be planned.
type TuningQuestion struct {
	Studies []tune.Study
	Out     string // folder of the results, with the histories so far
	DataDir string
	Workers int // trials side by side; 0 leaves it to harness.Workers
	Device  devices.Target
}

// Past is a source beside those of cells: trials of the same search that are
// over.
const Past Source = "past trials"

// Span are the seconds of some trials: their mean, the quickest, the slowest.
type Span struct {
	Mean  float64 `json:"mean"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// Search is what the trials of a study take. Sizes are bytes.
type Search struct {
	Model      string           `json:"model"`
	Dataset    string           `json:"dataset"`
	Task       protocol.Task    `json:"task"`
	Setting    protocol.Setting `json:"setting,omitempty"`
	Parameters []string         `json:"search"` // their names
	Trials     int              `json:"trials"` // beside the one with the model's own options
	Random     int              `json:"random"` // of them
	Epochs     int              `json:"epochs"` // at most
	Found      int              `json:"found"`  // trials that are over
	Left       int              `json:"left"`   // trials that are not
	Each       Span             `json:"seconds_each"`
	Seconds    float64          `json:"seconds_left"` // one trial after the other
	Memory     int64            `json:"memory_each"`  // at most, of the model, beside the data
	Source     Source           `json:"source"`
	Counted    int              `json:"trials_counted"` // that Each is of
	Problem    string           `json:"problem,omitempty"`
}

// Tuning is what searches take on this machine. Where trials were tried out,
// no training is stopped early. Sizes are bytes.
type Tuning struct {
	Machine  string    `json:"machine"`
	Workers  int       `json:"workers"`
	Searches []Search  `json:"studies"`
	Trials   int       `json:"trials"` // those with own options among them
	ToDo     int       `json:"to_do"`
	Seconds  Span      `json:"seconds"`     // of the wall clock, if all trials are like the mean, the quickest, the slowest of their search
	Memory   int64     `json:"memory"`      // at most at once: data and models side by side, of what was tried out; on a card only the models, and the card's
	Free     int64     `json:"memory_free"` // see Known
	Known    bool      `json:"memory_known"`
	Missing  []Missing `json:"missing"`
}

// MakeTuning plans the searches: by their trials so far, else by trying out
// the random ones that they begin with. The error says what is wrong with a
// dataset whose file is there, or is ctx's.
func MakeTuning(ctx context.Context, q TuningQuestion, h Hooks) (Tuning, error) {
	q.Workers = harness.Workers(q.Workers, q.Device)
	p := tuningPlanner{TuningQuestion: q, Hooks: h}
	p.out = Tuning{Machine: harness.Machine(q.Device), Searches: []Search{}, Missing: []Missing{}}
	m := q.Device.Memory()
	if p.out.Free, p.out.Known = m.Free, m.Known; !m.Known {
		p.out.Free = unlimited
	}
	if err := p.gather(); err != nil {
		return Tuning{}, err
	}
	if err := datasets.CheckRoom(p.datasets); err != nil {
		return Tuning{}, err
	}
	h.Start(p.tries())
	for _, dataset := range p.datasets {
		if err := p.dataset(ctx, dataset); err != nil {
			return Tuning{}, err
		}
	}
	p.total()
	return p.out, nil
}

// Fits reports whether every trial that was tried out has room in the memory,
// and names the first search with one that has not.
func (t Tuning) Fits() (ok bool, which Search) {
	for _, s := range t.Searches {
		if s.Memory > t.Free {
			return false, s
		}
	}
	return true, Search{}
}
