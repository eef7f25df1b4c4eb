package specs

import (
	"fmt"
	"slices"

	"dgsbench/internal/strictyaml"
	"dgsbench/metrics"
	"dgsbench/protocol"
)

// Protocol is how a model is trained and evaluated. Windows of Batch events
// restart at the first event of each part of the stream. In link prediction
// every event is trained with one negative destination.
type Protocol struct {
	// Batch is the number of events in a batch. No event sees the update of
	// another one of its batch, so results depend on it.
	Batch int `yaml:"batch" range:"1 100000"`
	// EvaluationBatch is the number of events in a batch of validation and test:
	// those that are answered from one state. Epochs are selected at the
	// first size, and at each of them there is a test, from the state after the
	// validation that the selected epoch has had. Empty for Batch.
	EvaluationBatch []int `yaml:"evaluation_batch,omitempty" range:"1 100000" list:"some distinct single"`
	// WithinBatch is empty for LastWrite, DerivedFeatures for BeforeEvent.
	WithinBatch     BatchRule   `yaml:"within_batch,omitempty" words:"last_write t_batch"`
	DerivedFeatures FeatureRule `yaml:"derived_features,omitempty" words:"before_event before_batch"`
	// Epochs is the largest number of passes over the training part.
	Epochs int `yaml:"epochs" range:"1 10000"`
	// Patience is the number of epochs without a better validation metric
	// after which training stops; 0 trains for all epochs.
	Patience       int            `yaml:"patience" range:"0 10000"`
	TrainNegatives NegativeSource `yaml:"train_negatives" words:"train_destinations train_nodes mixed destinations"`
	// Candidates are the sets of destinations that events are ranked
	// against. The first is the headline, by which epochs are selected.
	Candidates []protocol.CandidateSet `yaml:"candidates" words:"all_nodes destinations" list:"some distinct"`
	Filter     NegativeFilter          `yaml:"filter" words:"none same_src_t"`
	// ValNegatives is the number of sampled candidates of each set that a
	// validation event is ranked against; 0 for all, as always in tests.
	ValNegatives int       `yaml:"val_negatives" range:"0 1000000"`
	Select       Selection `yaml:"select" words:"best last"`
	// SelectBy is the validation metric by which training stops and the epoch is
	// selected, as metrics.Lookup knows it; empty for the headline of the task.
	SelectBy string `yaml:"select_by,omitempty"`
	// TestState are the rules by which the state before a test is made, each
	// for an evaluation of its own. Epochs are selected by a validation whose
	// state is made by the first, and its test continues from that of the
	// selected epoch.
	TestState []StateRule `yaml:"test_state" words:"carry replay" list:"some distinct single"`
	// LabelDelay is how many seconds after its event a label is known. In
	// training the labels are those known at the end of the training part, in
	// a selection those known when the test part begins; Learn is told of
	// a label in the first window that begins after it is known. A test scores
	// all labelled events.
	LabelDelay int `yaml:"label_delay,omitempty" range:"0 1000000000"`
	// Latency makes the trials latency tests: nothing is trained, and nothing
	// above but Batch counts. It is nil elsewhere.
	Latency *Latency `yaml:"latency,omitempty"`
	// Live makes the trials live tests: models are trained as above, and then
	// answer events that do not wait for them. It is nil elsewhere.
	Live *Live `yaml:"live,omitempty"`
}

// SelectedBy returns the metric of SelectBy.
func (p Protocol) SelectedBy(task protocol.Task) metrics.Metric {
	if m, err := metrics.Lookup(p.SelectBy); err == nil {
		return m
	}
	return metrics.Of(task)[0] // SelectBy is empty: other mistakes are found when it is read
}

// NegativeSource is a set of nodes from which the negative destinations of
// training are drawn uniformly, with replacement.
type NegativeSource string

const (
	// TrainDestinations are the destinations of the training part.
	TrainDestinations NegativeSource = "train_destinations"
	// TrainNodes are all nodes of the training part.
	TrainNodes NegativeSource = "train_nodes"
	// MixedNegatives draws each from either of these sets with probability 1/2.
	MixedNegatives NegativeSource = "mixed"
	// LaterDestinations are the candidates Destinations. Those after training leak
	// to the model, as in other software.
	LaterDestinations NegativeSource = "destinations"
)

// NegativeFilter is which true events are not counted as negatives.
type NegativeFilter string

const (
	// FilterNone leaves out only the true destination.
	FilterNone NegativeFilter = "none"
	// FilterSameSrcT leaves out the destinations of other events with the same
	// source and time, as TGB does.
	FilterSameSrcT NegativeFilter = "same_src_t"
)

// BatchRule is how the events of a window become batches.
type BatchRule string

const (
	// LastWrite makes the window one batch: all reads come from before it,
	// and where a node occurs several times its last occurrence is kept.
	LastWrite BatchRule = "last_write"
	// TBatch cuts the window into JODIE's t-batches: each event is in the
	// first one after those of the events before it that share a node with
	// it. A node occurs once in each, and no update is lost. For node
	// classification, and models that read no other states than those of the
	// event's two nodes: these answer as with batches of one event.
	TBatch BatchRule = "t_batch"
)

// FeatureRule is which events a feature of earlier ones, such as their count or
// the time since the last, is derived from.
type FeatureRule string

const (
	// BeforeEvent are all events before the one with the features.
	BeforeEvent FeatureRule = "before_event"
	// BeforeBatch are those before its batch, which states are made of.
	BeforeBatch FeatureRule = "before_batch"
)

// Selection is the epoch whose parameters are tested.
type Selection string

// The epoch with the best validation metric, and the last one.
const (
	SelectBest Selection = "best"
	SelectLast Selection = "last"
)

// StateRule is how the nodes' states are made before a validation. A test goes
// on from the state after the validation with the same parameters.
type StateRule string

const (
	// Carry continues from the state that training has left.
	Carry StateRule = "carry"
	// Replay resets the states and observes the training part again, with the
	// parameters that are evaluated.
	Replay StateRule = "replay"
)

// Latency is how a latency test is timed. One iteration answers the last
// Batches x Protocol.Batch events of the stream, from the state that
// everything before them has left.
type Latency struct {
	Batches    int `yaml:"batches" range:"1 1000000"`
	Iterations int `yaml:"iterations" range:"2 10000"` // timed
	// Warmups are iterations before the timed ones.
	Warmups int `yaml:"warmups" range:"1 10000"`
	// Lead is how many events are answered, in batches of the size that is
	// measured, after the state is restored and before the clock starts.
	Lead int `yaml:"lead" range:"1 1000000"`
	// Sweep are further batch sizes, each over the same events, or over
	// SweepBatches batches where that is less, and SweepIterations times.
	Sweep           []int `yaml:"sweep" range:"1 100000" list:"distinct"`
	SweepBatches    int   `yaml:"sweep_batches" range:"1 1000000"`
	SweepIterations int   `yaml:"sweep_iterations" range:"2 10000"`
	// Known answers all of these events at once (models.Ahead). Else, in streaming, a
	// batch is known only when the one before it has been answered.
	Known bool `yaml:"known"`
}

// DefaultProtocol returns that of a suite without a `protocol:` block.
func DefaultProtocol() Protocol {
	return Protocol{
		Batch: 200, Epochs: 50, Patience: 10,
		TrainNegatives: TrainDestinations, Candidates: []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations}, Filter: FilterNone,
		Select: SelectBest, TestState: []StateRule{Carry},
	}
}

// with returns p with the values of a `protocol:` block. The defaults of a
// latency test are the paper's: 200 batches, 10 iterations after a warm-up.
func (p Protocol) with(n strictyaml.Node, errs *strictyaml.Errors) Protocol {
	if n.Get("latency").Present() {
		p.Latency = &Latency{Batches: 200, Iterations: 10, Warmups: 1, Lead: 2_000, SweepBatches: 10_000, SweepIterations: 3}
	}
	if n.Get("live").Present() {
		p.Live = DefaultLive()
	}
	errs.Add(n.Decode(&p))
	if at := n.Get("live"); at.Present() {
		errs.Add(p.Live.check(at))
	}
	if p.WithinBatch == LastWrite {
		p.WithinBatch = "" // identities are those from before there was a choice
	}
	if p.DerivedFeatures == BeforeEvent {
		p.DerivedFeatures = "" // as above
	}
	if at := n.Get("select_by"); at.Present() {
		if m, err := metrics.Lookup(p.SelectBy); err != nil {
			errs.Add(at.Errorf("%v", err))
		} else if m.OfCurve {
			errs.Add(at.Errorf("%s is a point of a curve, expected another metric", m.Name))
		}
	}
	if at := n.Get("test_state"); at.Present() && len(p.TestState) > 1 && p.TestState[0] == Replay {
		errs.Add(at.Errorf("after replay the state that training has left is gone, expected test_state: [%s, %s]", Carry, Replay))
	}
	if at := n.Get("evaluation_batch"); at.Present() && len(p.EvaluationBatch) > 1 && len(p.TestState) > 1 {
		errs.Add(at.Errorf("every test starts from the same state, expected one size or test_state: %s", p.TestState[0]))
	}
	if at := n.Get("evaluation_batch"); at.Present() && p.DerivedFeatures == BeforeBatch {
		errs.Add(at.Errorf("features from before a batch are those of one size, expected derived_features: %s", BeforeEvent))
	}
	if at := n.Get("latency").Get("sweep"); at.Present() && p.Latency.Known && len(p.Latency.Sweep) > 0 {
		errs.Add(at.Errorf("known: true has one answer to all events, expected no sweep"))
	}
	return p
}

// Evaluation is a test of a trained model, and the state from which it starts.
type Evaluation struct {
	Name  string    // in records and tables; empty for none
	State StateRule // of the first evaluation, the one of every epoch
	Batch int       // events in a batch of validation and test
	// Shared says that the test starts from the same state as the first one. Else
	// it has a validation of its own, which makes the state.
	Shared bool
}

// Evaluations lists those of the protocol: one, or one for each size of
// EvaluationBatch or rule of TestState.
func (p Protocol) Evaluations() (out []Evaluation) {
	if len(p.EvaluationBatch) > 1 {
		for i, size := range p.EvaluationBatch {
			out = append(out, Evaluation{fmt.Sprintf("%s%d", EvaluationCase, size), p.TestState[0], size, i > 0})
		}
		return out
	}
	size := p.Batch
	if len(p.EvaluationBatch) > 0 {
		size = p.EvaluationBatch[0]
	}
	for i, rule := range p.TestState {
		name := string(rule)
		if i == 0 {
			name = ""
		}
		out = append(out, Evaluation{name, rule, size, false})
	}
	return out
}

// EvaluationCase is what the names of evaluations with a size begin with.
const EvaluationCase = "evaluation-"

// MaxBatch is the size of the largest batch.
func (p Protocol) MaxBatch() int {
	largest := slices.Max(append([]int{p.Batch}, p.EvaluationBatch...))
	if p.Live != nil {
		largest = max(largest, p.Live.LargestBatch)
	}
	return largest
}
