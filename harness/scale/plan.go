// Package scale measures what a model costs as its surroundings grow: time,
// memory and allocations against the length of the stream, the number of
// nodes, features and events in a batch, and against the model's own options.
//
// The events come from a seeded generator, in chunks that are not kept, so that
// the stream may be longer than the memory. A Plan says what is measured. A
// Result is written as a table, as CSV, as JSON and as a figure.
package scale

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
	"dgsbench/internal/suggest"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// Mode is what is measured.
type Mode string

const (
	Inference Mode = "inference" // Classify, or Rank and Observe
	Training  Mode = "training"  // a step for each batch
)

// Plan is what to measure of one model.
type Plan struct {
	Model      specs.Model
	Variant    string // "" for none
	Task       protocol.Task
	Mode       Mode
	Base       Size // where all sweeps start from
	Sweeps     []Sweep
	Seed       uint64
	Device     devices.Target
	Candidates protocol.CandidateSet // that link prediction ranks against in inference
}

// Size is the surroundings of a model.
type Size struct {
	Events   int `json:"events"` // of the stream
	Nodes    int `json:"nodes"`
	Features int `json:"features"` // of an event
	Batch    int `json:"batch"`    // events
	Threads  int `json:"threads"`  // of the processor
}

// ranks reports whether events are ranked against candidates.
func (p Plan) ranks() bool { return p.Mode == Inference && p.Task == protocol.LinkPrediction }

// Points returns what the plan measures, in order, without results.
func (p Plan) Points() ([]Point, error) {
	jobs, err := p.jobs()
	return lists.Map(jobs, func(j job) Point { return j.point }), err
}

// job is one point with all that it needs.
type job struct {
	Plan
	point   Point
	options models.Options
}

// jobs resolves all points: mistakes are reported before anything is measured.
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

// check returns an error if the model cannot do what the plan asks for.
func (p Plan) check() error {
	k := p.Model.Kind
	modes := []Mode{Inference, Training}
	sets := []protocol.CandidateSet{protocol.Destinations, protocol.AllNodes}
	switch {
	case !slices.Contains(modes, p.Mode):
		return fmt.Errorf("mode is %q, expected %s", p.Mode, suggest.Or(modes))
	case !slices.Contains(sets, p.Candidates):
		return fmt.Errorf("candidates is %q, expected %s", p.Candidates, suggest.Or(sets))
	case !k.Supports(p.Task):
		return fmt.Errorf("model %q cannot do task %q; it can do %v", p.Model.ID, p.Task, k.Tasks)
	case !k.Fits(datasets.Dataset{}): // the generator's stream hides nothing
		return fmt.Errorf("model %q knows the hidden state of simulated streams, and the stream of a sweep has none", p.Model.ID)
	case p.Mode == Training && !k.Trainable():
		return fmt.Errorf("model %q has nothing to train, expected mode %s", p.Model.ID, Inference)
	case len(p.Sweeps) == 0:
		return fmt.Errorf("no sweep, expected at least one such as %s=1000,10000", Length)
	}
	return p.Base.check()
}

// job returns the point of an axis and a value.
func (p Plan) job(axis Axis, value string) (job, error) {
	none := optional.Absent()
	j := job{Plan: p, point: Point{
		Axis: string(axis), Value: value, Size: p.Base,
		Micros: none, Low: none, High: none, Drift: none, Allocs: none, Held: none, Peak: none, OnCard: none,
	}}
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

// Axis is what a sweep changes, all else as in the plan's base.
type Axis string

// The axes that every model has. "option:PATH" is one of the model's own
// options, such as option:head.dropout.
const (
	Length   Axis = "length" // events of the stream
	Nodes    Axis = "nodes"
	Features Axis = "features"
	Batch    Axis = "batch"
	Threads  Axis = "threads"

	optionPrefix = "option:"
)

// label names the axis of a figure.
func (a Axis) label() string {
	if path, ok := a.option(); ok {
		return "option " + path
	}
	return map[Axis]string{
		Length: "length of the stream (events)", Nodes: "nodes of the graph", Features: "features of an event", Batch: "events in a batch",
		Threads: "threads",
	}[a]
}

// option returns the path of the model's option, if the axis is one.
func (a Axis) option() (path string, ok bool) { return strings.CutPrefix(string(a), optionPrefix) }

// Sweep are the values of one axis, in the order in which they are measured.
type Sweep struct {
	Axis   Axis
	Values []string
}

// ParseSweep reads AXIS=VALUE,VALUE... Whole numbers may be written as 1e6.
func ParseSweep(text string) (Sweep, error) {
	axis, list, found := strings.Cut(text, "=")
	if !found || list == "" {
		return Sweep{}, fmt.Errorf("sweep %q: expected AXIS=VALUE,VALUE..., for example %s=1e4,1e5", text, Length)
	}
	s := Sweep{Axis: Axis(axis), Values: strings.Split(list, ",")}
	if _, own := s.Axis.option(); own {
		return s, nil
	}
	for i, value := range s.Values {
		n, err := ParseCount(value)
		if err != nil {
			return Sweep{}, fmt.Errorf("sweep %q: %w", text, err)
		}
		s.Values[i] = strconv.Itoa(n)
		if slices.Contains(s.Values[:i], s.Values[i]) {
			return Sweep{}, fmt.Errorf("sweep %q: %s is listed twice", text, s.Values[i])
		}
	}
	_, err := Size{}.with(s.Axis, s.Values[0])
	return s, err
}

// ParseCount reads a whole number, also one such as 1e6.
func ParseCount(text string) (int, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+") != "" || x > maxEvents || x != float64(int(x)) {
		return 0, fmt.Errorf("expected a whole number such as 200 or 1e6, found %q", text)
	}
	return int(x), nil
}

// maxEvents is the length of the longest stream.
const maxEvents = 1e12

// sizes are the parts of a size with their bounds.
var sizes = []struct {
	axis      Axis
	low, high int
	of        func(*Size) *int
}{
	{Length, 1, maxEvents, func(s *Size) *int { return &s.Events }},
	{Nodes, minNodes, maxNodes, func(s *Size) *int { return &s.Nodes }},
	{Features, 0, 10_000, func(s *Size) *int { return &s.Features }},
	{Batch, 1, 100_000, func(s *Size) *int { return &s.Batch }},
	{Threads, 1, 1024, func(s *Size) *int { return &s.Threads }},
}

// with returns the size with one axis changed.
func (s Size) with(a Axis, value string) (Size, error) {
	n, err := ParseCount(value)
	if err != nil {
		return s, err
	}
	var known []string
	for _, x := range sizes {
		if x.axis == a {
			*x.of(&s) = n
			return s, nil
		}
		known = append(known, string(x.axis))
	}
	return s, fmt.Errorf("no axis %q%s", a, suggest.Hint(string(a), append(known, optionPrefix+"NAME")))
}

// check returns an error if a part of the size is out of range.
func (s Size) check() error {
	for _, x := range sizes {
		if n := *x.of(&s); n < x.low || n > x.high {
			return fmt.Errorf("%s is %d, expected %d to %d", x.axis, n, x.low, x.high)
		}
	}
	return nil
}
