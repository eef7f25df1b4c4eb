package dgs

import (
	"fmt"
	"math"
	"sync"

	"dgsbench/datasets"
	"dgsbench/internal/strictyaml"
	"dgsbench/kernels/cpu"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Scorer serves a trained model: events go in one at a time, scores come out,
// and the states of the nodes advance. It stores no derivatives and cannot
// learn.
//
// All methods may be called from several goroutines; calls are serialised,
// since each event must read what the one before has written. Score allocates
// only when it meets a node beyond its tables.
type Scorer struct {
	// MaxNodes bounds the tables: an event of a node beyond is an error.
	MaxNodes int

	mu       sync.Mutex
	model    *Model
	metadata map[string]string
	event    datasets.Stream // of one event
	logits   [1]float32
}

// Event is an interaction of two nodes. Nodes are numbered from 0; a number
// that was not seen before is a new node, whose state is zero. Tables are
// as long as the largest number, so number densely.
type Event struct {
	Source, Destination int32
	// Features are those that the model was trained on, with the same
	// standardisation.
	Features []float32
}

// OpenScorer reads a checkpoint, as `bench all --checkpoints` or Save writes
// it, with the states of the nodes that are in it. DGS-s and DGS-v are errors:
// their bucket edges are not part of a checkpoint.
func OpenScorer(path string) (*Scorer, error) {
	snapshot, metadata, err := models.ReadCheckpoint(path)
	if err != nil {
		return nil, err
	}
	s := &Scorer{metadata: metadata, MaxNodes: 10_000_000}
	if err := s.build(path, snapshot); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func (s *Scorer) build(path string, snapshot models.Snapshot) error {
	spec, err := strictyaml.Parse(path, []byte(s.metadata[models.SpecKey]))
	if err != nil {
		return err
	}
	var kind string
	if err := spec.Get("kind").Decode(&kind); err != nil || kind != kindName {
		return fmt.Errorf("a checkpoint of model %q, expected %s", kind, kindName)
	}
	setup := models.Setup{NumNodes: 1, MaxBatch: 1, Threads: 1}
	if err := spec.Get("task").Decode(&setup.Task); err != nil {
		return err
	}
	o := Defaults()
	if err := spec.Get("options").Decode(o); err != nil {
		return err
	}
	if err := o.Validate(); err != nil {
		return err
	}
	if o.Embedding == Buckets {
		return fmt.Errorf("embedding: %s cannot be served: the bucket edges are not in the checkpoint", Buckets)
	}
	if setup.Task != protocol.NodeClassification && setup.Task != protocol.LinkPrediction {
		return fmt.Errorf("a checkpoint for task %q, expected %s or %s", setup.Task, protocol.NodeClassification, protocol.LinkPrediction)
	}
	// Tables are allocated by the sizes of numbers that are in the file.
	if snapshot.State != nil {
		if setup.NumNodes, err = rowsOf(snapshot.State, "S", o.Size); err != nil {
			return err
		}
	}
	if setup.NumNodes > s.MaxNodes {
		return fmt.Errorf("states of %d nodes, expected at most %d", setup.NumNodes, s.MaxNodes)
	}
	if setup.NumFeat, err = rowsOf(snapshot.Params, "W", o.Size); err != nil {
		return err
	}
	for i, units := range o.Head.Hidden {
		if _, err := rowsOf(snapshot.Params, fmt.Sprintf("%sW%d", head.Prefix, i+1), units); err != nil {
			return err
		}
	}
	s.model = newOn(cpu.NewDevice(cpu.Best(), 1), setup, o)
	s.event = datasets.Stream{
		Src: make([]int32, 1), Dst: make([]int32, 1), Time: make([]float64, 1), Label: []int8{datasets.Unlabelled},
		Feat: make([]float32, setup.NumFeat), NumFeat: setup.NumFeat, NumNodes: setup.NumNodes,
	}
	return s.model.Restore(snapshot)
}

// rowsOf returns the number of rows of the named tensor, which must have the
// given number of columns and at least one row.
func rowsOf(tensors []models.Tensor, name string, cols int) (int, error) {
	for _, t := range tensors {
		if t.Name == name && len(t.Shape) == 2 && t.Shape[1] == cols && len(t.F32) > 0 {
			return t.Shape[0], nil
		}
	}
	return 0, fmt.Errorf("no tensor %s of numbers in %d columns", name, cols)
}

// Score returns the probability of the event's label with the event folded
// in, or for a model of links that of the event itself from before it. The
// event is then part of the nodes' states. An error changes nothing.
func (s *Scorer) Score(e Event) (p float64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.setEvent(e); err != nil {
		return 0, err
	}
	undo := s.growTo(int(max(e.Source, e.Destination)))
	if m := s.model; m.setup.Task == protocol.NodeClassification {
		err = m.Classify(s.event, s.logits[:])
	} else if err = s.link(e.Source, e.Destination); err == nil {
		err = m.Observe(s.event)
	}
	if err != nil {
		undo()
		return 0, err
	}
	return probability(s.logits[0]), nil
}

// Link returns the probability that a model of links gives to an event
// between the nodes. It changes nothing.
func (s *Scorer) Link(source, destination int32) (float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model.setup.Task != protocol.LinkPrediction {
		return 0, models.ErrTask
	}
	if err := s.checkNodes(source, destination); err != nil {
		return 0, err
	}
	if err := s.link(source, destination); err != nil {
		return 0, err
	}
	return probability(s.logits[0]), nil
}

// link writes the logit of the states of both nodes; those of new ones are zero.
func (s *Scorer) link(source, destination int32) error {
	m := s.model
	pair := m.net.Buffer(m.net.pairs)
	if int(max(source, destination)) < m.states.nodes {
		m.states.Gather(append(m.states.ends.host[:0], source, destination), pair)
	} else {
		m.device.Zero(2*m.net.size, pair)
		for i, n := range []int32{source, destination} {
			if int(n) < m.states.nodes {
				m.states.Gather([]int32{n}, m.device.View(pair, i*m.net.size, m.net.size))
			}
		}
	}
	return m.net.head.Classify(s.event, s.logits[:])
}

// Forget makes the states of all nodes zero.
func (s *Scorer) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model.Reset()
}

// Save writes parameters and states to a file that OpenScorer reads, as a
// whole or not at all.
func (s *Scorer) Save(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return models.WriteCheckpoint(path, s.model.Snapshot(models.Everything), s.metadata)
}

func (s *Scorer) setEvent(e Event) error {
	if len(e.Features) != s.event.NumFeat {
		return fmt.Errorf("%d features, the model was trained on %d", len(e.Features), s.event.NumFeat)
	}
	for i := range e.Features {
		if f := e.Features[i : i+1]; !nn.Within(f) {
			return fmt.Errorf("feature %d is %v, expected a number within ±%g", i, f[0], nn.Largest)
		}
	}
	if err := s.checkNodes(e.Source, e.Destination); err != nil {
		return err
	}
	s.event.Src[0], s.event.Dst[0] = e.Source, e.Destination
	copy(s.event.Feat, e.Features)
	return nil
}

func (s *Scorer) checkNodes(nodes ...int32) error {
	for _, n := range nodes {
		if n < 0 || int(n) >= s.MaxNodes {
			return fmt.Errorf("node %d, expected 0 to %d (MaxNodes - 1)", n, s.MaxNodes-1)
		}
	}
	return nil
}

// growTo makes the tables long enough for the node: at least twice as long as
// they are, so that they grow rarely. It returns what undoes that.
func (s *Scorer) growTo(node int) (undo func()) {
	t := s.model.states
	if node < t.nodes {
		return func() {}
	}
	before := t.grow(min(max(2*t.nodes, node+1), s.MaxNodes))
	s.event.NumNodes = t.nodes
	return func() {
		*t = before
		s.event.NumNodes = t.nodes
	}
}

func probability(logit float32) float64 { return 1 / (1 + math.Exp(-float64(logit))) }
