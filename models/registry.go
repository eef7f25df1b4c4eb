package models

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"dgsbench/datasets"
	"dgsbench/protocol"
)

// FeatureUse says what a model does with event features.
type FeatureUse int

// The uses of features.
const (
	FeaturesIgnored  FeatureUse = iota // the model does not read them
	FeaturesOptional                   // it reads them where there are any
	FeaturesRequired                   // it cannot work without them
)

// Kind is one registered implementation.
type Kind struct {
	Name     string // as in `model:` of a spec
	Class    protocol.Class
	Tasks    []protocol.Task
	Memory   bool // keeps per-node state
	Deploys  bool // its models are Deployers
	Features FeatureUse
	// LogOdds says that Classify writes the logarithm of the odds that the label
	// is 1, not just any scores that are higher for it.
	LogOdds bool
	// Deterministic models of class Learned draw nothing at random: trained
	// with another seed they have the same numbers.
	Deterministic bool
	// Choices, unless it is nil, returns the number of rules of the kind on events of
	// that many features. Each is tried in an epoch of its own, and that of the best
	// validation is tested. The kind's models are Choosers.
	Choices func(features int) int
	// Options returns a fresh set of default options.
	Options func() Options
	// For, unless it is nil, returns the kind with what validated options declare of
	// its models: a program that is not this one, and of which the spec says what it
	// can do.
	For func(Kind, Options) Kind
	// Bytes is the memory that a model takes on the stream of the setup,
	// where that grows with its nodes or events: trials side by side share
	// the machine's. It may be nil.
	Bytes func(Setup, Options) int64
	// Probe, unless it is nil, returns an error unless New can build models of these
	// options for setups, of which it reads Task and Snapshots: it asks the programs.
	Probe func(iter.Seq2[Setup, Options]) error
	// Fit returns what New computes of Setup.Train, so that it can be given as
	// Setup.Fitted. It is nil for a kind that needs nothing of it, but for memory of its own.
	Fit func(Setup, Options) Fitted
	// Step, unless it is nil, adds to a graph what follows from its features: the output
	// "logit" of n numbers, and the states (Step.Mix). It is an error that names the
	// options of which the graph cannot be.
	Step func(*Step) error
	// New builds the model. Options are of the type that Options returns
	// and have been validated.
	New func(Setup, Options) (Model, error)
}

// With returns the kind of models with these options.
func (k Kind) With(o Options) Kind {
	if k.For == nil {
		return k
	}
	return k.For(k, o)
}

// Does reports whether the kinds can do the same.
func (k Kind) Does(other Kind) bool {
	return k.Class == other.Class && slices.Equal(k.Tasks, other.Tasks) && k.Features == other.Features &&
		k.LogOdds == other.LogOdds && k.Deterministic == other.Deterministic
}

// Trainable reports whether there is anything to learn.
func (k Kind) Trainable() bool { return k.Class == protocol.Learned }

// Supports reports whether the kind can do the task.
func (k Kind) Supports(t protocol.Task) bool { return slices.Contains(k.Tasks, t) }

// Fits reports whether the kind can be used on the dataset: oracles need the
// truth of a simulator.
func (k Kind) Fits(d datasets.Dataset) bool { return k.Class != protocol.Oracle || d.HasTruth }

var kinds = map[string]Kind{}

// Register adds a kind. It panics when the name is taken: two packages
// claim it.
func Register(k Kind) {
	if _, taken := kinds[k.Name]; taken {
		panic("models: " + k.Name + " is registered twice")
	}
	kinds[k.Name] = k
}

// Lookup finds a registered kind.
func Lookup(name string) (Kind, error) {
	k, ok := kinds[name]
	if !ok {
		return Kind{}, fmt.Errorf("no model kind %q; known: %v", name, Names())
	}
	return k, nil
}

// Names lists the registered kinds, sorted.
func Names() []string { return slices.Sorted(maps.Keys(kinds)) }
