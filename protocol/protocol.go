// Package protocol defines the terms of the evaluation protocol: tasks, settings,
// splits, sets of candidates and classes of models. The values are the words in
// specs, records and CSV files.
package protocol

// Task is the task that a model is trained and evaluated for.
type Task string

// The two tasks of the paper.
const (
	NodeClassification Task = "nc"
	LinkPrediction     Task = "lp"
)

// Setting determines which nodes the model sees in training.
type Setting string

// The two settings of the paper.
const (
	// Transductive: training has the whole training part.
	Transductive Setting = "T"
	// Inductive: training has no event of a held-out node, and only events
	// with a node that is not in the training part are scored.
	Inductive Setting = "I"
)

// Split is a part of the stream that models are evaluated on.
type Split string

// The splits after the training part.
const (
	Validation Split = "validation"
	Test       Split = "test"
)

// CandidateSet is a set of destinations that events are ranked against.
type CandidateSet string

// The two readings of the paper's "possible destinations".
const (
	// AllNodes are all nodes of the dataset, the source too.
	AllNodes CandidateSet = "all_nodes"
	// Destinations are the nodes that are a destination anywhere in the
	// stream.
	Destinations CandidateSet = "destinations"
)

// Class groups the rows of a table.
type Class string

const (
	// Learned models are ranked.
	Learned Class = "learned"
	// ZeroParameter rules have nothing to learn and are not ranked.
	ZeroParameter Class = "zero-parameter"
	// Oracle rows know the simulator's planted signal.
	Oracle Class = "oracle"
)
