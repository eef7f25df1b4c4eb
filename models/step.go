package models

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"dgsbench/datasets"
	"dgsbench/internal/onnx"
	"dgsbench/protocol"
)

// Step is the graph of one step of a saved model of node classification: of n events, each
// from the states that are given for its two nodes, or without states.
type Step struct {
	*onnx.Model
	Saved    *Saved
	Features string // the input of the model itself, n x Saved.Features

	params []Tensor
	size   int // of a state; 0 where the model has none
}

// stepUsage says in a file what its graph is.
const stepUsage = `One step of a model of dgsbench, for n events: from their features, and the states of their nodes where the model has
states, to a logit an event and the new states of its nodes. Whoever runs it keeps a table of states: gathers a row for the source and
one for the destination of every event, runs the graph, and writes the new rows back. The state of a node without events is zeros.

Of the n events none sees another: all are answered from the states that are given. Where a node occurs several times, the new state of
its last occurrence is kept, in the order of the events. With n = 1 every event sees all before it.

The columns of the features are named in the metadata under "columns", and are not standardised: the graph does that, unless there is
no "derived" in the metadata, which is so for models of older versions. "source" says, as JSON, how the fields of a record
become numbers: columns, what stands where one is missing, levels of categories. "derived" says, as JSON, which features are made of
these numbers and of earlier events, with the means and deviations by which the graph standardises them. Features are finite, within 1e15.

"log_odds" is true if the logit is the logarithm of the odds that the label is 1; otherwise it is only higher for events that have it.
`

// ONNX returns one step of the model as a graph that says how it is used.
func (s *Saved) ONNX() (*onnx.Model, error) {
	if s.Kind.Step == nil {
		var known []string
		for _, name := range Names() {
			if kinds[name].Step != nil {
				known = append(known, name)
			}
		}
		return nil, fmt.Errorf("the step of a model of kind %s is no graph of the event's features and of its two states; known: %v", s.Kind.Name, known)
	}
	if s.Task != protocol.NodeClassification {
		return nil, fmt.Errorf("a model of task %s, expected one of %s: ranking depends on the states of all candidates", s.Task, protocol.NodeClassification)
	}
	m, _, err := s.Build(s.Nodes, 1, 1) // which checks what the file has
	if err != nil {
		return nil, err
	}
	defer Close(m)
	step := &Step{Model: &onnx.Model{Name: s.Kind.Name, Doc: stepUsage}, Saved: s, params: m.Snapshot(Parameters).Params}
	step.Metadata = map[string]string{
		"model": s.Kind.Name, "task": string(s.Task), SpecKey: s.Spec, "log_odds": strconv.FormatBool(s.Kind.LogOdds),
	}
	if err := step.addFeatures(); err != nil {
		return nil, err
	}
	if err := s.Kind.Step(step); err != nil {
		return nil, fmt.Errorf("a model of kind %s: %w", s.Kind.Name, err)
	}
	if step.size > 0 {
		step.Output(newSource, "states of the sources with the event folded in", onnx.N, step.size)
		step.Output(newDestination, "states of the destinations with the event folded in", onnx.N, step.size)
	}
	return step.Model, nil
}

// addFeatures adds the input of features and standardises them, if the file says how.
func (s *Step) addFeatures() error {
	width, columns := s.Saved.Features, s.Saved.Columns
	s.Features = s.Input("features", "a row an event, with the columns of the metadata", onnx.N, width)
	if in := s.Saved.Input; in != nil {
		d, err := datasets.ParseDeriver(in.Features)
		if err != nil {
			return err
		}
		if columns = d.Columns(); len(columns) != width {
			return fmt.Errorf("%d features are made of records, the model was trained on %d", len(columns), width)
		}
		s.Metadata["source"], s.Metadata["derived"] = in.Source, in.Features
		s.standardise(d.Moments())
	}
	if len(columns) == 0 {
		return nil // of a dataset whose columns have no names
	}
	names, err := json.Marshal(columns)
	s.Metadata["columns"] = string(names)
	return err
}

// standardise makes the features (x - mean) / sd, in double precision as a Deriver does.
func (s *Step) standardise(mean, sd []float64) {
	for c, deviation := range sd {
		if deviation == 0 {
			sd[c] = math.Inf(1) // so that a constant column becomes 0
		}
	}
	x := s.OpWith("to", int64(onnx.Float64), "features/double", "Cast", s.Features)
	x = s.Op("features/centred", "Sub", x, s.Doubles("features/mean", mean, len(mean)))
	x = s.Op("features/scaled", "Div", x, s.Doubles("features/deviation", sd, len(sd)))
	s.Features = s.OpWith("to", int64(onnx.Float32), "features/standardised", "Cast", x)
}

// Param adds a parameter of the model as a constant, and returns its name. It panics if there is
// none of the name.
func (s *Step) Param(name string) string {
	p := s.params[slices.IndexFunc(s.params, func(p Tensor) bool { return p.Name == name })]
	return s.Floats(name, p.F32, p.Shape...)
}

// The states of sources and destinations after the events.
const newSource, newDestination = "new_source_state", "new_destination_state"

// Mix adds the states, of size numbers, that go in and out: for each node of an event, the
// other one being O,
//
//	S <- beta S + (1-beta) [ (1-alpha) e + alpha S_O ]
//
// (equations 1 and 2 of the Deep-Graph-Sprints paper). e is n x size, alpha and beta are numbers,
// vectors of size, or n x size. It returns the new states of the sources.
func (s *Step) Mix(size int, e, alpha, beta string) string {
	source := s.Input("source_state", "states of the events' sources", onnx.N, size)
	destination := s.Input("destination_state", "states of the events' destinations", onnx.N, size)
	one := s.Floats("one", []float32{1})
	rest := s.Op("beta/rest", "Sub", one, beta)
	share := s.Op("other/share", "Mul", rest, alpha)
	event := s.Op("event", "Mul", s.Op("event/share", "Mul", rest, s.Op("alpha/rest", "Sub", one, alpha)), e)
	mixed := func(name, self, other string) string {
		kept := s.Op(name+"/kept", "Add", s.Op(name+"/own", "Mul", beta, self), event)
		return s.Op(name, "Add", kept, s.Op(name+"/other", "Mul", share, other))
	}
	s.size = size
	mixed(newDestination, destination, source)
	return mixed(newSource, source, destination)
}
