package specs

import (
	"cmp"

	"dgsbench/internal/strictyaml"
	"dgsbench/protocol"
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
	// TrainNegatives says where the negative destinations of training come
	// from.
	TrainNegatives NegativeSource `yaml:"train_negatives"`
	// Candidates are the sets of destinations that events are ranked
	// against. The first is the headline, by which epochs are selected.
	Candidates []protocol.CandidateSet `yaml:"candidates"`
	// Filter says which candidates are not negatives, beside the true
	// destination.
	Filter NegativeFilter `yaml:"filter"`
	// ValNegatives is the number of sampled candidates of each set that a
	// validation event is ranked against; 0 stands for all of them. Test
	// events are always ranked against all.
	ValNegatives int `yaml:"val_negatives"`
	// Select says which epoch's parameters are tested.
	Select Selection `yaml:"select"`
	// TestState are the rules by which the state before a test is made, each
	// for an evaluation of its own. Epochs are selected by a validation whose
	// state is made by the first, and its test goes on from that of the
	// selected epoch.
	TestState []StateRule `yaml:"test_state"`
	// Latency makes the trials latency tests: nothing is trained, and nothing
	// above but Batch counts. It is nil elsewhere.
	Latency *Latency `yaml:"latency,omitempty"`
}

// maxBatch is the largest number of events in a batch.
const maxBatch = 100_000

// NegativeSource says which nodes are negative destinations in training, drawn
// with equal shares and replacement.
type NegativeSource string

const (
	// TrainDestinations are the nodes that are a destination in the training
	// part.
	TrainDestinations NegativeSource = "train_destinations"
	// TrainNodes are all nodes of the training part.
	TrainNodes NegativeSource = "train_nodes"
	// MixedNegatives are half of the one and half of the other: each negative
	// is of either with the same probability.
	MixedNegatives NegativeSource = "mixed"
	// LaterDestinations are the candidates Destinations: nodes too that are a
	// destination only after training, which a model then knows of. Other
	// software draws so.
	LaterDestinations NegativeSource = "destinations"
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

// StateRule says how the nodes' state is made before a validation. A test goes
// on from the state after the validation with the same parameters.
type StateRule string

const (
	// Carry goes on from the state that training has left.
	Carry StateRule = "carry"
	// Replay forgets the state and folds the training part in again, with the
	// parameters that are evaluated.
	Replay StateRule = "replay"
)

// DefaultProtocol holds where a suite says nothing.
func DefaultProtocol() Protocol {
	return Protocol{
		Batch: 200, Epochs: 50, Patience: 10,
		TrainNegatives: TrainDestinations, Candidates: []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations}, Filter: FilterNone,
		Select: SelectBest, TestState: []StateRule{Carry},
	}
}

// protocolYAML is a `protocol:` block, with the words left to be checked.
type protocolYAML struct {
	Batch           *int            `yaml:"batch"`
	WithinBatch     strictyaml.Node `yaml:"within_batch"`
	DerivedFeatures strictyaml.Node `yaml:"derived_features"`
	Epochs          *int            `yaml:"epochs"`
	Patience        *int            `yaml:"patience"`
	TrainNegatives  strictyaml.Node `yaml:"train_negatives"`
	Candidates      strictyaml.Node `yaml:"candidates"`
	Filter          strictyaml.Node `yaml:"filter"`
	ValNegatives    *int            `yaml:"val_negatives"`
	Select          strictyaml.Node `yaml:"select"`
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
	p.TrainNegatives = cmp.Or(readWord(y.TrainNegatives, errs, TrainDestinations, TrainNodes, MixedNegatives, LaterDestinations), p.TrainNegatives)
	if rules := readWordOrWords(y.TestState, errs, Carry, Replay); rules != nil {
		p.TestState = rules
		if len(rules) > 1 && rules[0] == Replay {
			errs.Add(y.TestState.Errorf("after replay the state that training has left is gone, expected test_state: [%s, %s]", Carry, Replay))
		}
	}
	if c := readWords(y.Candidates, errs, protocol.AllNodes, protocol.Destinations); c != nil {
		p.Candidates = c
	}
	if y.Latency.Present() {
		p.Latency = newLatency(y.Latency, errs)
	}
	return p
}

// Evaluation names the evaluation that goes by rule i of TestState, in records
// and tables; the first has no name.
func (p Protocol) Evaluation(i int) string {
	if i == 0 {
		return ""
	}
	return string(p.TestState[i])
}
