package models

import (
	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/protocol"
)

// Model is a stream model with per-node state outside its parameters. It is
// built for one task. Batches come in stream order; b.Len() never exceeds
// Setup.MaxBatch.
//
// Within a batch no event sees another one's update: all reads come from
// before the batch, and where a node occurs several times its last
// occurrence in stream order is kept (semantics: the mini-batch rule of the
// paper).
//
// Batches carry no labels but for Train's: Label is nil (datasets.Stream,
// WithoutLabels), as it is in Setup.Train. Labels become known through Learn.
//
// A method that meets a score that is not finite returns a *BadScore. What
// cannot be answered or learned from with finite numbers is an error that
// changes nothing: parameters, state, moments of optimisers and random streams
// are as before the call, and the model goes on as if the batch had not come.
// Two things are not the batch's, and stay: a model that has other memories in
// evaluation than in training may have made the change from one to the other, and
// one with derivatives of states may have forgotten some, as after Restore.
type Model interface {
	// Train makes one optimisation step on the batch and then folds it into
	// the state. For link prediction, negatives holds one negative
	// destination an event; for node classification it is nil, and events
	// without a label only advance the state. The loss is that of before
	// the step: it is of the states and parameters from before the batch, so
	// that what is said of an event depends on nothing else in the batch.
	Train(b datasets.Stream, negatives []int32) (loss float64, err error)

	// Classify writes one logit an event, from the source's state with this
	// event folded into it, and folds the batch in. logits has b.Len()
	// entries.
	Classify(b datasets.Stream, logits []float32) error

	// Rank counts, for every event, the negatives that score above and level
	// with the true destination, from the state before the batch, which it
	// leaves unchanged. The true destination itself is left out once.
	Rank(b datasets.Stream, c Candidates, out Counts) error

	// Score writes the full matrix of the logits that Rank counts by, b.Len()
	// x len(candidates), from the state before the batch; a constant that
	// all pairs share may be left out. For tests and small exports.
	Score(b datasets.Stream, candidates []int32, logits []float32) error

	// Observe folds the batch in.
	Observe(b datasets.Stream) error

	// Learn says which labels, 0 or 1, some events have that were folded in
	// by Classify or Observe. All are labelled, they are in stream order from
	// call to call, and none comes twice between two Resets. Labels may be
	// late: other batches may have been folded in since, so that the state
	// may be later than the events. What Train was given does not come again.
	// Whatever Learn changes is state: Reset forgets it, so that the labels
	// of a validation do not reach the next epoch. Models that do nothing
	// with labels outside Train embed Offline.
	Learn(events datasets.Stream, labels []int8) error

	// Reset forgets the state of all nodes, not the parameters.
	Reset()

	// Snapshot copies the parameters, or parameters and state.
	Snapshot(what Part) Snapshot

	// Restore puts back what the snapshot holds. It may be of anybody's
	// making: one of another model or size, or with numbers that this model
	// cannot have, is an error, and changes nothing.
	Restore(Snapshot) error

	// NumParams is the number of learnable parameters.
	NumParams() int
}

// Deployer is a model that also has a leaner form for inference alone.
type Deployer interface {
	// Deploy gives a copy with the same parameters and state that answers
	// the same but for rounding, and whose Train returns ErrDeployed. Its
	// snapshots are of a kind of their own. It may share read-only parts and
	// the device with the model: both belong to one goroutine.
	Deploy() (Model, error)
}

// Ahead is a model that gains from knowing a part of the stream before it
// has answered the beginning.
type Ahead interface {
	// ClassifyAhead is Classify on batches of so many events, one after the
	// other (the last one may be shorter): the same bits in logits and in the
	// state. part may be any number of events: they are answered as a whole
	// or, with an error, not at all.
	ClassifyAhead(part datasets.Stream, batch int, logits []float32) error
}

// Candidates are the destinations that an event is ranked against.
type Candidates struct {
	// Nodes are the candidates, ascending, without repetition.
	Nodes []int32
	// Without lists, for each event of the batch, further nodes that are
	// not negatives of it (ascending); nil leaves nobody out.
	Without [][]int32
}

// Counts receives the ranking facts: entry k counts the negatives of event
// k that score above (Greater) and exactly level with (Equal) its true
// destination.
type Counts struct {
	Greater, Equal []int32
}

// Setup is what a model is built from, beside its options.
type Setup struct {
	Task     protocol.Task
	NumNodes int
	Users    int // bipartite boundary as in datasets.Stream
	NumFeat  int
	MaxBatch int
	Events   int // of the whole stream; only Kind.Bytes asks
	// Inference says, to Kind.Bytes alone, that nothing will be trained.
	Inference bool
	// Train is the training part, for what a model fixes before training
	// (bucket edges, time statistics). It has no labels, and must not be kept.
	Train   datasets.Stream
	Seed    uint64
	Threads int // threads the model may use; results do not depend on it
	// Device makes a device for a model; nil makes one of the processor.
	Device func(threads int) (kernels.Device, error)
}
