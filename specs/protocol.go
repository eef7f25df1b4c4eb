package specs

import (
	"cmp"

	"dgsbench/internal/strictyaml"
)

// Protocol is how a model is trained and judged. Windows of Batch events
// restart at the first event of each part of the stream. In link prediction
// every event is trained with one negative destination.
type Protocol struct {
	// Batch is the number of events in a batch, 1 to 100,000. No event sees
	// the update of another one of its batch, so results depend on it.
	Batch int `yaml:"batch"`
	// WithinBatch says how the events of a window of Batch become batches;
	// empty stands for LastWrite.
	WithinBatch BatchRule `yaml:"within_batch,omitempty"`
	// DerivedFeatures says which events a feature that counts earlier ones, or
	// the time since the last, knows of; empty stands for BeforeEvent.
	DerivedFeatures FeatureRule `yaml:"derived_features,omitempty"`
	// Epochs is the number of passes over the training part, at most; for
	// models with something to learn.
	Epochs int `yaml:"epochs"`
	// Patience is the number of epochs without a better validation metric
	// after which training stops; 0 trains for all epochs.
	Patience int `yaml:"patience"`
	// Candidates are the sets of destinations that events are ranked
	// against, each a column of its own. The first is the headline, and
	// training negatives are drawn from it.
	Candidates []CandidateSet `yaml:"candidates"`
	// Filter says which candidates are not negatives, beside the true
	// destination.
	Filter NegativeFilter `yaml:"filter"`
	// ValNegatives is the number of sampled candidates that a validation
	// event is ranked against; 0 stands for all of them. Test events are
	// always ranked against all.
	ValNegatives int `yaml:"val_negatives"`
	// Select says which epoch's parameters are tested.
	Select Selection `yaml:"select"`
	// ValidationState is the state in which the validation after an epoch
	// starts.
	ValidationState StateRule `yaml:"validation_state"`
	// TestState is the state in which the test starts.
	TestState StateRule `yaml:"test_state"`
	// Latency makes the trials latency tests: nothing is trained, and nothing
	// above but Batch counts. It is nil elsewhere.
	Latency *Latency `yaml:"latency,omitempty"`
}

// maxBatch is the largest number of events in a batch.
const maxBatch = 100_000

// CandidateSet names a set of possible destinations.
type CandidateSet string

// The two readings of the paper's "possible destinations".
const (
	// AllNodes are all nodes of the dataset, the source too.
	AllNodes CandidateSet = "all_nodes"
	// Destinations are the nodes that are a destination anywhere in the
	// stream.
	Destinations CandidateSet = "destinations"
)

// NegativeFilter says which true events are not counted as negatives.
type NegativeFilter string

const (
	// FilterNone leaves nothing but the true destination out.
	FilterNone NegativeFilter = "none"
	// FilterSameSrcT leaves out the destinations of other events with the
	// same source and time, as TGB does.
	FilterSameSrcT NegativeFilter = "same_src_t"
)

// BatchRule says how the events of a window become batches.
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

// FeatureRule says which events derived features know of.
type FeatureRule string

const (
	// BeforeEvent are all events before the one that has the features, those
	// of its own batch too.
	BeforeEvent FeatureRule = "before_event"
	// BeforeBatch are the events before the first one of its batch: those
	// that states know of.
	BeforeBatch FeatureRule = "before_batch"
)

// Selection says which epoch's parameters are tested.
type Selection string

const (
	// SelectBest takes the epoch with the best validation metric.
	SelectBest Selection = "best"
	// SelectLast takes the last epoch.
	SelectLast Selection = "last"
)

// StateRule says how the nodes' state is made before an evaluation.
type StateRule string

const (
	// Carry goes on from the state that the part before has left: training
	// for validation, validation for test.
	Carry StateRule = "carry"
	// Replay forgets the state and folds all earlier parts in again, with
	// the parameters that are evaluated.
	Replay StateRule = "replay"
)

// DefaultProtocol holds where a suite says nothing.
func DefaultProtocol() Protocol {
	return Protocol{
		Batch: 200, Epochs: 50, Patience: 10,
		Candidates: []CandidateSet{AllNodes, Destinations}, Filter: FilterNone,
		Select: SelectBest, ValidationState: Carry, TestState: Replay,
	}
}

// protocolYAML is a `protocol:` block, with the words left to be checked.
type protocolYAML struct {
	Batch           *int            `yaml:"batch"`
	WithinBatch     strictyaml.Node `yaml:"within_batch"`
	DerivedFeatures strictyaml.Node `yaml:"derived_features"`
	Epochs          *int            `yaml:"epochs"`
	Patience        *int            `yaml:"patience"`
	Candidates      strictyaml.Node `yaml:"candidates"`
	Filter          strictyaml.Node `yaml:"filter"`
	ValNegatives    *int            `yaml:"val_negatives"`
	Select          strictyaml.Node `yaml:"select"`
	ValidationState strictyaml.Node `yaml:"validation_state"`
	TestState       strictyaml.Node `yaml:"test_state"`
	Latency         strictyaml.Node `yaml:"latency"`
}

// with puts the values of a `protocol:` block over p.
func (p Protocol) with(n strictyaml.Node, errs *strictyaml.Errors) Protocol {
	y := protocolYAML{Batch: &p.Batch, Epochs: &p.Epochs, Patience: &p.Patience, ValNegatives: &p.ValNegatives}
	errs.Add(n.Decode(&y))
	inRange(n.Get("batch"), p.Batch, 1, maxBatch, errs)
	inRange(n.Get("epochs"), p.Epochs, 1, 10_000, errs)
	inRange(n.Get("patience"), p.Patience, 0, 10_000, errs)
	inRange(n.Get("val_negatives"), p.ValNegatives, 0, 1_000_000, errs)
	switch readWord(y.WithinBatch, errs, LastWrite, TBatch) {
	case TBatch:
		p.WithinBatch = TBatch
	case LastWrite: // empty: identities are those from before there was a choice
		p.WithinBatch = ""
	}
	switch readWord(y.DerivedFeatures, errs, BeforeEvent, BeforeBatch) {
	case BeforeBatch:
		p.DerivedFeatures = BeforeBatch
	case BeforeEvent: // empty, as above
		p.DerivedFeatures = ""
	}
	p.Filter = cmp.Or(readWord(y.Filter, errs, FilterNone, FilterSameSrcT), p.Filter)
	p.Select = cmp.Or(readWord(y.Select, errs, SelectBest, SelectLast), p.Select)
	p.ValidationState = cmp.Or(readWord(y.ValidationState, errs, Carry, Replay), p.ValidationState)
	p.TestState = cmp.Or(readWord(y.TestState, errs, Carry, Replay), p.TestState)
	if c := readWords(y.Candidates, errs, AllNodes, Destinations); c != nil {
		p.Candidates = c
	}
	if y.Latency.Present() {
		p.Latency = newLatency(y.Latency, errs)
	}
	if !errs.Any() {
		p.checkCarry(n, errs)
	}
	return p
}

// checkCarry refuses a test that goes on from a state which is not that of
// the tested parameters: of another epoch, or of a validation that was
// ranked otherwise.
func (p Protocol) checkCarry(n strictyaml.Node, errs *strictyaml.Errors) {
	if p.TestState == Carry && (p.Select != SelectLast || p.ValidationState != Carry || p.Patience > 0 || p.ValNegatives > 0) {
		errs.Add(n.Errorf("test_state: carry needs select: last, validation_state: carry, patience: 0 and val_negatives: 0"))
	}
}
