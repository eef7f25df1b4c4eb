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
	AllNodes     CandidateSet = "all_nodes"    // of the dataset, the source too
	Destinations CandidateSet = "destinations" // nodes that are one anywhere in the stream
)

// FewestAnswers is how many response times there are where their 99.9th percentile is
// given.
const FewestAnswers = 10_000

// Class groups the rows of a table.
type Class string

// The classes of models. Learned ones are ranked, and Null is for live tests alone.
const (
	Learned       Class = "learned"
	ZeroParameter Class = "zero-parameter" // rules with nothing to learn
	SingleColumn  Class = "single-column"  // one of the columns of the features, chosen on the validation part
	Oracle        Class = "oracle"         // knows the simulator's planted signal
	Null          Class = "null"           // answers at once, for the times of the machine itself
)

// Classes are all of them, in the order of a table's blocks.
var Classes = []Class{Learned, ZeroParameter, SingleColumn, Oracle, Null}
