package scale

import (
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// Mode is what is measured.
type Mode string

const (
	// Inference answers and folds in: Classify, or Rank and Observe.
	Inference Mode = "inference"
	// Training makes one step a batch.
	Training Mode = "training"
)

var modes = []Mode{Inference, Training}

// Plan is what to measure of one model.
type Plan struct {
	Model   specs.Model
	Variant string // "" for none
	Task    protocol.Task
	Mode    Mode
	// Base is where all sweeps start from.
	Base    Size
	Sweeps  []Sweep
	Seed    uint64
	Device  devices.Target // that the model runs on
	Threads int            // of the processor
	// Candidates are what link prediction ranks against in inference.
	Candidates protocol.CandidateSet
}

// Size is the surroundings of a model.
type Size struct {
	Events   int `json:"events"` // of the stream
	Nodes    int `json:"nodes"`
	Features int `json:"features"` // of an event
	Batch    int `json:"batch"`    // events
}

// ranks reports whether events are ranked against candidates.
func (p Plan) ranks() bool { return p.Mode == Inference && p.Task == protocol.LinkPrediction }

// Points are what the plan measures, in order, before anything is known of
// them. An error says what is wrong with the plan.
func (p Plan) Points() ([]Point, error) {
	jobs, err := p.jobs()
	var out []Point
	for _, j := range jobs {
		out = append(out, j.point)
	}
	return out, err
}

// job is one point with all that it needs.
type job struct {
	Plan
	point   Point
	options models.Options
}

// jobs resolves all points, so that what is wrong is said before anything is
// measured.
func (p Plan) jobs() ([]job, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	var out []job
	for _, s := range p.Sweeps {
		for _, value := range s.Values {
			j, err := p.job(s.Axis, value)
			if err != nil {
				return nil, fmt.Errorf("%s=%s: %w", s.Axis, value, err)
			}
			out = append(out, j)
		}
	}
	return out, nil
}

// check refuses what the model cannot do.
func (p Plan) check() error {
	k := p.Model.Kind
	sets := []protocol.CandidateSet{protocol.Destinations, protocol.AllNodes}
	switch {
	case !slices.Contains(modes, p.Mode):
		return fmt.Errorf("mode is %q, expected one of %v", p.Mode, modes)
	case !slices.Contains(sets, p.Candidates):
		return fmt.Errorf("candidates is %q, expected one of %v", p.Candidates, sets)
	case !k.Supports(p.Task):
		return fmt.Errorf("model %q cannot do task %q; it can do %v", p.Model.ID, p.Task, k.Tasks)
	case !k.Fits(datasets.Dataset{}): // the generator's stream hides nothing
		return fmt.Errorf("model %q knows the hidden state of simulated streams, and the stream of a sweep has none", p.Model.ID)
	case p.Mode == Training && !k.Trainable():
		return fmt.Errorf("model %q has nothing to train, expected mode %s", p.Model.ID, Inference)
	case len(p.Sweeps) == 0:
		return fmt.Errorf("no sweep, expected at least one such as %s=1000,10000", Length)
	}
	return nil
}

// job is the point of an axis and a value.
func (p Plan) job(axis Axis, value string) (job, error) {
	j := job{Plan: p, point: Point{Axis: string(axis), Value: value, Size: p.Base}}
	at := specs.Place{Task: p.Task}
	var r specs.Resolved
	var err error
	if path, ok := axis.option(); ok {
		r, err = p.Model.ResolveWith(at, p.Variant, path, value)
	} else {
		if j.point.Size, err = p.Base.with(axis, value); err != nil {
			return job{}, err
		}
		r, err = p.Model.Resolve(at, p.Variant)
	}
	if err != nil {
		return job{}, err
	}
	j.options = r.Options
	if err := j.point.Size.check(); err != nil {
		return job{}, err
	}
	if p.Model.Kind.Features == models.FeaturesRequired && j.point.Features == 0 {
		return job{}, fmt.Errorf("features is 0, but model %q needs some", p.Model.ID)
	}
	return j, nil
}
