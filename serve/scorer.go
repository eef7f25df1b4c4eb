// Package serve scores events one at a time with a model that a run kept
// (--checkpoints): events go in, scores come out, and the states of the nodes advance.
package serve

import (
	"cmp"
	"fmt"
	"math"
	"sort"
	"sync"

	"dgsbench/datasets"
	"dgsbench/internal/atomicfile"
	"dgsbench/models"
	_ "dgsbench/models/standard" // the models that a checkpoint can name
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Options of Open. The zero value serves.
type Options struct {
	// Nodes is how many nodes have room from the beginning, so that none is made
	// while events are scored.
	Nodes int
	// MaxNodes bounds the numbers of nodes: an event of a node at or beyond it is an
	// error. It is 10 million if it is 0.
	MaxNodes int
	// Backwards accepts events that are earlier than the one before them; their time
	// counts as that one's. They are errors otherwise.
	Backwards bool
	// Threads is 1 if it is 0. Scores do not depend on it.
	Threads int
	// Batch is how many records are scored at once, at most. It is 1 if it is 0.
	Batch int
	// MaxMemory bounds MaxNodes by the bytes that models and names take, unless it is 0.
	MaxMemory int64
	// Evict gives the number of the node whose last event is the longest ago to a new
	// node that there is no room for, which is an error otherwise. It is of records.
	Evict bool
}

// Event is an interaction of two nodes. Nodes are numbered from 0; a number that was not
// seen before is a new node. Tables are as long as the largest number, so number densely.
type Event struct {
	Source, Destination int32
	Time                float64 // seconds from the first event of the stream that the model was trained on
	// Features are those that the model was trained on, derived and standardised alike.
	Features []float32
}

// Scorer serves a trained model. It cannot learn.
//
// All methods may be called from several goroutines. They take turns, since each event
// must read what the one before has written.
type Scorer struct {
	o Options

	mu     sync.Mutex
	saved  *models.Saved
	model  models.Model
	nodes  int             // that have room
	event  datasets.Stream // of one event
	scores [1]float32
	in     *records // nil if the checkpoint does not say what makes events of records
	broken error    // after which states are not those of the events
}

// Open reads a checkpoint, as `bench all --checkpoints` or Save writes it, with the states
// of the nodes that are in it. The file is untrusted.
func Open(path string, o Options) (*Scorer, error) {
	saved, err := models.ReadSaved(path)
	if err != nil {
		return nil, err
	}
	s, err := open(saved, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func open(saved *models.Saved, o Options) (*Scorer, error) {
	o.MaxNodes, o.Threads, o.Batch = cmp.Or(o.MaxNodes, 10_000_000), max(1, o.Threads), max(1, o.Batch)
	if o.MaxMemory > 0 {
		o.MaxNodes = min(o.MaxNodes, sort.Search(o.MaxNodes, func(n int) bool { return bytesOf(saved, n+1) > o.MaxMemory }))
	}
	s := &Scorer{o: o, saved: saved}
	if saved.Nodes > o.MaxNodes {
		return nil, fmt.Errorf("%d nodes, expected at most %d (MaxNodes, MaxMemory)", saved.Nodes, o.MaxNodes)
	}
	if err := s.build(min(o.Nodes, o.MaxNodes)); err != nil {
		return nil, err
	}
	if o.Evict {
		if err := forget(s.model); err != nil {
			return nil, fmt.Errorf("a model of kind %s serves without Evict: %w", saved.Kind.Name, err)
		}
	}
	return s, s.openRecords()
}

// bytesOf returns about how much memory that many nodes take: the model's state twice, as
// when it is saved, and names.
func bytesOf(saved *models.Saved, nodes int) int64 {
	const name = 128
	bytes := int64(nodes) * name
	if saved.Kind.Bytes != nil {
		bytes += 2 * saved.Kind.Bytes(models.Setup{Task: saved.Task, NumNodes: nodes, NumFeat: saved.Features, MaxBatch: 1, Inference: true, Fitted: saved.Fitted}, saved.Options)
	}
	return bytes
}

// build makes the model of saved with room for that many nodes, if it has fewer.
func (s *Scorer) build(nodes int) error {
	m, setup, err := s.saved.Build(nodes, s.o.Batch, s.o.Threads)
	if err != nil {
		return err
	}
	if s.model != nil {
		models.Close(s.model)
	}
	s.model, s.nodes = m, setup.NumNodes
	s.event = datasets.Stream{
		Src: make([]int32, 1), Dst: make([]int32, 1), Time: make([]float64, 1),
		Feat: make([]float32, setup.NumFeat), NumFeat: setup.NumFeat, NumNodes: setup.NumNodes,
	}
	return nil
}

// Events returns how many events the states have met, which is the sequence number of the
// next one.
func (s *Scorer) Events() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saved.Events
}

// Numerics is that of the program that has trained the model, 0 if it is not known:
// scores of another one may differ in their last digits.
func (s *Scorer) Numerics() int { return s.saved.Numerics }

// Close ends what the model has beside its memory, such as a process.
func (s *Scorer) Close() { models.Close(s.model) }

// Score returns the score of the event with the event folded in, which is then part of
// the states of its nodes: the probability of its label, or where the model has no
// probabilities a number that is larger for events that have it. The model is one of node classification. An error changes nothing.
func (s *Scorer) Score(e Event) (float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.needs(protocol.NodeClassification); err != nil {
		return 0, err
	}
	if err := s.take(e); err != nil {
		return 0, err
	}
	if err := s.model.Classify(s.event, s.scores[:]); err != nil {
		return 0, err
	}
	if err := models.CheckScores(s.event, s.scores[:]); err != nil {
		return 0, err
	}
	s.met()
	return s.score(s.scores[0]), nil
}

// Observe folds the event in. An error changes nothing.
func (s *Scorer) Observe(e Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.take(e); err != nil {
		return err
	}
	if err := s.model.Observe(s.event); err != nil {
		return err
	}
	s.met()
	return nil
}

// Links writes a score for each destination of an event of the source at a time, higher
// for one that is likelier; only their order has a meaning. It changes no state. The model
// is one of link prediction. Destinations are distinct and ascend.
func (s *Scorer) Links(source int32, time float64, destinations []int32, scores []float32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.needs(protocol.LinkPrediction); err != nil {
		return err
	}
	if len(scores) != len(destinations) || len(destinations) == 0 {
		return fmt.Errorf("%d scores for %d destinations", len(scores), len(destinations))
	}
	for i, d := range destinations {
		if i > 0 && d <= destinations[i-1] {
			return fmt.Errorf("destination %d after %d, expected numbers that ascend", d, destinations[i-1])
		}
	}
	if err := s.place(Event{Source: source, Destination: destinations[len(destinations)-1], Time: time}); err != nil {
		return err
	}
	if err := s.room(source, destinations[0], destinations[len(destinations)-1]); err != nil {
		return err
	}
	return s.model.Score(s.event.WithFeatures(nil, 0), destinations, scores)
}

func (s *Scorer) needs(task protocol.Task) error {
	if s.saved.Task != task {
		return fmt.Errorf("a model of task %s, expected one of %s", s.saved.Task, task)
	}
	return nil
}

// take makes the event the batch of the model's next call.
func (s *Scorer) take(e Event) error {
	if len(e.Features) != s.event.NumFeat {
		return fmt.Errorf("%d features, the model was trained on %d", len(e.Features), s.event.NumFeat)
	}
	for i := range e.Features {
		if f := e.Features[i : i+1]; !nn.Within(f) {
			return fmt.Errorf("feature %d is %v, expected a number within ±%g", i, f[0], nn.Largest)
		}
	}
	if err := s.place(e); err != nil {
		return err
	}
	if err := s.room(e.Source, e.Destination); err != nil {
		return err
	}
	copy(s.event.Feat, e.Features)
	return nil
}

// place sets nodes and time of the batch.
func (s *Scorer) place(e Event) error {
	if s.broken != nil {
		return s.broken
	}
	before := s.saved.Time
	if s.saved.Events == 0 {
		before = math.Inf(-1)
	}
	t, err := s.after(e.Time, before)
	if err != nil {
		return err
	}
	s.event = s.event.From(s.saved.Events)
	s.event.Src[0], s.event.Dst[0], s.event.Time[0] = e.Source, e.Destination, t
	return nil
}

// met counts the event, which is part of the states.
func (s *Scorer) met() {
	s.saved.Time = s.event.Time[0]
	s.saved.Events++
}

// room makes the tables long enough for the nodes: at least twice as long as they are,
// so that they grow rarely.
func (s *Scorer) room(nodes ...int32) error {
	most := int32(0)
	for _, n := range nodes {
		if n < 0 || int(n) >= s.o.MaxNodes {
			return fmt.Errorf("node %d, expected 0 to %d (MaxNodes - 1)", n, s.o.MaxNodes-1)
		}
		most = max(most, n)
	}
	if int(most) < s.nodes {
		return nil
	}
	event := s.event
	s.saved.Snapshot, s.saved.Nodes = s.model.Snapshot(models.Everything), s.nodes
	if err := s.build(min(max(2*s.nodes, int(most)+1), s.o.MaxNodes)); err != nil {
		return fmt.Errorf("room for node %d: %w", most, err)
	}
	s.event.Src, s.event.Dst, s.event.Time = event.Src, event.Dst, event.Time
	return nil
}

// Forget clears the states of all nodes.
func (s *Scorer) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model.Reset()
	s.saved.Events = 0
	if s.in == nil {
		return
	}
	if err := s.in.deriver.Restore(nil); err != nil {
		panic(err) // nothing is before the first event
	}
	s.in.numbers.reset()
}

// Save writes parameters and states to a file that Open reads, as a whole or not at all.
func (s *Scorer) Save(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	s.saved.Nodes, s.saved.Snapshot = s.nodes, s.model.Snapshot(models.Everything)
	if s.in != nil {
		s.saved.Input.Nodes, s.saved.Input.History = s.in.numbers.Nodes, s.in.deriver.State()
	}
	data, err := s.saved.Encode()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, data)
}
