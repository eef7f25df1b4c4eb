package models

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/internal/lists"
	"dgsbench/internal/safetensors"
)

// Input is what makes events for a saved model of records of the source.
type Input struct {
	Source   string `json:"source"`             // how a record becomes an event: own.ParseRow
	Features string `json:"features"`           // how its features become the model's: datasets.ParseDeriver
	Together bool   `json:"together,omitempty"` // these do not depend on other events of the batch
	// ValidationSeconds is the time from the first event of the validation part to the
	// last.
	ValidationSeconds float64 `json:"validation_seconds"`

	Nodes   Nodes    `json:"-"`
	History []Tensor `json:"-"` // that features depend on: datasets.Deriver.State
	// Scores are what Classify wrote in the validation part, and Labels 0, 1 or
	// datasets.Unlabelled; both are empty after link prediction.
	Scores []float32 `json:"-"`
	Labels []int8    `json:"-"`
}

// Nodes are those that have a number.
type Nodes struct {
	Names []string // by number; without one, the number is free
	// Sides says of each on which side of events it is, datasets.Source or
	// datasets.Destination: its name is one of those of its side. Sides is nil where
	// sources may be destinations.
	Sides []int8
	Seen  []int64 // number of its last event, -1 for none
}

// Names of the tensors of an Input. All others are of the history.
const (
	namesTensor  = "nodes.names"
	sidesTensor  = "nodes.sides"
	seenTensor   = "nodes.seen"
	scoresTensor = "validation.scores"
	labelsTensor = "validation.labels"
)

// tensors returns what the JSON leaves out.
func (in *Input) tensors() []Tensor {
	integers := func(name string, x []int64) Tensor { return Tensor{Name: name, Shape: []int{len(x)}, I64: x} }
	return append([]Tensor{
		safetensors.OfBytes(namesTensor, lists.AppendPacked(nil, in.Nodes.Names...)), integers(seenTensor, slices.Concat([]int64{}, in.Nodes.Seen)),
		integers(sidesTensor, Convert[int64](in.Nodes.Sides)), integers(labelsTensor, Convert[int64](in.Labels)),
		{Name: scoresTensor, Shape: []int{len(in.Scores)}, F32: in.Scores},
	}, in.History...)
}

// setTensors reads what tensors returned, which may be of anybody's making. Numbers
// of nodes are below nodes.
func (in *Input) setTensors(all []Tensor, nodes int) error {
	byName := map[string]Tensor{}
	for _, t := range all {
		switch byName[t.Name] = t; t.Name {
		case namesTensor, seenTensor, sidesTensor, labelsTensor, scoresTensor:
		default:
			in.History = append(in.History, t)
		}
	}
	names, err := byName[namesTensor].Bytes()
	if err != nil {
		return err
	}
	if in.Nodes.Names, err = lists.Unpack(names); err != nil {
		return fmt.Errorf("names of nodes: %w", err)
	}
	in.Nodes.Seen, in.Scores = byName[seenTensor].I64, byName[scoresTensor].F32
	if in.Nodes.Sides, err = small(byName[sidesTensor], 0, 1); err == nil {
		in.Labels, err = small(byName[labelsTensor], -1, 1)
	}
	count := len(in.Nodes.Names)
	switch {
	case err != nil:
		return err
	case count > nodes || len(in.Nodes.Seen) != count || len(in.Nodes.Sides) != 0 && len(in.Nodes.Sides) != count:
		return fmt.Errorf("%d names, %d times and %d sides of %d nodes", count, len(in.Nodes.Seen), len(in.Nodes.Sides), nodes)
	case len(in.Scores) != len(in.Labels) || slices.ContainsFunc(in.Scores, func(x float32) bool { return !Finite(x) }):
		return fmt.Errorf("%d scores and %d labels of the validation, or one that is not finite", len(in.Scores), len(in.Labels))
	case !(in.ValidationSeconds >= 0) || math.IsInf(in.ValidationSeconds, 0):
		return fmt.Errorf("a validation of %v s", in.ValidationSeconds)
	}
	if len(in.Nodes.Sides) == 0 {
		in.Nodes.Sides = nil
	}
	return nil
}

// small returns integers from low to high.
func small(t Tensor, low, high int64) ([]int8, error) {
	for i, x := range t.I64 {
		if x < low || x > high {
			return nil, fmt.Errorf("tensor %s: number %d is %d, expected %d to %d", t, i, x, low, high)
		}
	}
	return Convert[int8](t.I64), nil
}
