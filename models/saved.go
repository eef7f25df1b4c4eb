package models

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/ram"
	"dgsbench/internal/strictyaml"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// modelKey is where a checkpoint's metadata has the Saved of its model, as JSON.
const modelKey = "model"

// Saved is a model as a checkpoint has it: all that builds it again, beside its spec.
type Saved struct {
	Nodes    int      `json:"nodes"` // numbers of nodes are below it
	Features int      `json:"features"`
	Columns  []string `json:"columns,omitempty"`
	Fitted   Fitted   `json:"fitted,omitempty"`
	// Events is how many events the state has met, and Time that of the last one, in
	// seconds from the first event of the stream. What a run keeps has met those before
	// the test part.
	Events int     `json:"events"`
	Time   float64 `json:"time"`
	// Numerics is that of the program that trained it: scores of another one may differ.
	Numerics int `json:"numerics,omitempty"`

	Input *Input `json:"input,omitempty"` // nil if it is not known

	Kind     Kind          `json:"-"`
	Options  Options       `json:"-"`
	Task     protocol.Task `json:"-"`
	Spec     string        `json:"-"` // resolved, as JSON
	Snapshot Snapshot      `json:"-"`
}

// Save returns a model of this setup with what it takes of the training part.
func Save(m Model, kind Kind, s Setup, o Options, spec string) *Saved {
	out := &Saved{Nodes: s.NumNodes, Features: s.NumFeat, Columns: s.Columns, Kind: kind, Options: o, Task: s.Task, Spec: spec, Snapshot: m.Snapshot(Everything)}
	if out.Fitted = s.Fitted; kind.Fit != nil && out.Fitted == nil {
		out.Fitted = kind.Fit(s, o)
	}
	return out
}

// SameModel reports whether the models have the same spec and parameters, whatever their
// states.
func (s *Saved) SameModel(other *Saved) bool {
	same := func(a, b Tensor) bool {
		return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) && slices.Equal(a.F32, b.F32) && slices.Equal(a.I64, b.I64)
	}
	return s.Spec == other.Spec && slices.EqualFunc(s.Snapshot.Params, other.Snapshot.Params, same)
}

// Encode returns a file that ReadSaved reads.
func (s *Saved) Encode() ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if s.Input != nil {
		s.Snapshot.Input = s.Input.tensors()
	}
	return EncodeCheckpoint(s.Snapshot, map[string]string{SpecKey: s.Spec, modelKey: string(text)})
}

// ReadSaved reads a file of Encode, which is untrusted.
func ReadSaved(path string) (*Saved, error) {
	snapshot, metadata, err := ReadCheckpoint(path)
	if err != nil {
		return nil, err
	}
	s := &Saved{Snapshot: snapshot, Spec: metadata[SpecKey]}
	if err := s.parse(path, metadata); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// parse reads the metadata.
func (s *Saved) parse(path string, metadata map[string]string) error {
	about, ok := metadata[modelKey]
	if !ok {
		return fmt.Errorf("it is of a version that did not say how its model is built again; remove it and run with --checkpoints again")
	}
	if err := json.Unmarshal([]byte(about), s); err != nil {
		return fmt.Errorf("%s: %w", modelKey, err)
	}
	const most = math.MaxInt32
	if s.Nodes < 1 || s.Nodes > most || s.Features < 0 || s.Features > most || s.Events < 0 || !(math.Abs(s.Time) <= nn.Largest) {
		return fmt.Errorf("%s: %d nodes, %d features, %d events, the last at %g s", modelKey, s.Nodes, s.Features, s.Events, s.Time)
	}
	spec, err := strictyaml.Parse(path, []byte(s.Spec))
	if err != nil {
		return err
	}
	var kind string
	if err := spec.Get("kind").Decode(&kind); err != nil {
		return fmt.Errorf("%s: kind: %w", SpecKey, err)
	}
	if s.Kind, err = Lookup(kind); err != nil {
		return err
	}
	if err := spec.Get("task").Decode(&s.Task); err != nil {
		return err
	}
	if !s.Kind.Supports(s.Task) {
		return fmt.Errorf("task %q, expected one of %v", s.Task, s.Kind.Tasks)
	}
	s.Options = s.Kind.Options()
	if err := spec.Get("options").Decode(s.Options); err != nil {
		return err
	}
	s.Kind = s.Kind.With(s.Options)
	if err := s.Options.Validate(); err != nil || s.Input == nil {
		return err
	}
	if err := s.Input.setTensors(s.Snapshot.Input, s.Nodes); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	s.Snapshot.Input = nil
	return nil
}

// Build returns the model with its state, ready for batches of at most maxBatch events of
// that many nodes (as it was saved, if these are fewer); the state of further ones is that of nodes without events.
//
// A model that is a program of its own is an error: a file does not choose what is run.
func (s *Saved) Build(nodes, maxBatch, threads int) (Model, Setup, error) {
	if s.Kind.For != nil {
		return nil, Setup{}, fmt.Errorf("a model of kind %s is a program of its own, which its file does not start", s.Kind.Name)
	}
	setup := Setup{
		Task: s.Task, NumNodes: max(nodes, s.Nodes), NumFeat: s.Features, Columns: s.Columns, MaxBatch: maxBatch, Events: s.Events,
		Train: datasets.Stream{NumNodes: s.Nodes, NumFeat: s.Features}, Fitted: s.Fitted, Threads: threads, Inference: true,
		Snapshots: "a checkpoint is restored",
	}
	if setup.Fitted == nil {
		setup.Fitted = Fitted{} // nothing may be computed of a training part that is not there
	}
	bytes := int64(s.Features) * maxUnits * 4 // of weights
	if s.Kind.Bytes != nil {
		bytes += s.Kind.Bytes(setup, s.Options)
	}
	if err := ram.Check("the model", bytes); err != nil {
		return nil, setup, err
	}
	m, err := s.Kind.New(setup, s.Options)
	if err != nil {
		return nil, setup, err
	}
	snapshot := s.Snapshot
	if snapshot.State != nil && setup.NumNodes > s.Nodes {
		snapshot.State = extend(snapshot.State, m.Snapshot(Everything).State)
	}
	if err := m.Restore(snapshot); err != nil {
		Close(m)
		return nil, setup, err
	}
	return m, setup, nil
}

// maxUnits is the largest size of a layer that options may have.
const maxUnits = 4096

// extend returns the tensors with the further rows that empty ones of more nodes have.
func extend(saved, empty []Tensor) []Tensor {
	out := Clone(saved)
	for i, t := range out {
		if i >= len(empty) || len(t.Shape) == 0 || len(t.Shape) != len(empty[i].Shape) || !slices.Equal(t.Shape[1:], empty[i].Shape[1:]) || t.Shape[0] >= empty[i].Shape[0] {
			continue
		}
		out[i].Shape[0] = empty[i].Shape[0]
		if t.F32 != nil {
			out[i].F32 = append(t.F32, empty[i].F32[len(t.F32):]...)
		} else {
			out[i].I64 = append(t.I64, empty[i].I64[len(t.I64):]...)
		}
	}
	return out
}
