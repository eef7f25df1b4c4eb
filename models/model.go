// Package models defines what a model is to the harness, and the registry
// through which the harness finds models. Every family lives in a folder of its
// own and registers itself; package standard imports them all.
package models

import (
	"io"
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Model is a stream model with per-node state outside its parameters. It is
// built for one task. Batches come in stream order; b.Len() never exceeds
// Setup.MaxBatch.
//
// Within a batch no event reads the update of another: all reads come from
// before the batch, and where a node occurs several times its last occurrence
// in stream order is kept (the mini-batch rule of the paper).
//
// Batches carry no labels, except those of Train: Label is nil
// (datasets.Stream.WithoutLabels), as it is in Setup.Train. Labels become known
// through Learn.
//
// A method that meets a score that is not finite returns a *BadScore. A batch
// that cannot be answered or learned from with finite numbers is an error that
// changes nothing: parameters, state, moments of optimisers and random streams
// are as before the call, and the model goes on as if the batch had not come.
// Two changes may remain, as they do not depend on the batch: a model with
// separate memories for training and evaluation may have changed from one to
// the other, and one with derivatives of states may have dropped some, as
// Restore does.
type Model interface {
	// Train makes one optimisation step on the batch and then folds it into
	// the state. For link prediction, negatives holds one negative
	// destination an event; for node classification it is nil, and events
	// without a label only advance the state. The loss is the one before
	// the step, of the states and parameters from before the batch, so that
	// the term of an event depends on nothing else in the batch.
	Train(b datasets.Stream, negatives []int32) (loss float64, err error)

	// Classify writes one logit an event, from the source's state with this
	// event folded into it, and folds the batch in. logits has b.Len()
	// entries.
	Classify(b datasets.Stream, logits []float32) error

	// Rank counts, for every event, the negatives that score above and level
	// with the true destination, from the state before the batch, which it
	// leaves unchanged. The true destination itself is no negative.
	Rank(b datasets.Stream, c Candidates, out Counts) error

	// Score writes the full matrix of the logits that Rank counts by, b.Len()
	// x len(candidates), from the state before the batch; a constant that
	// all pairs share may be left out. For tests and small exports.
	Score(b datasets.Stream, candidates []int32, logits []float32) error

	// Observe folds the batch in.
	Observe(b datasets.Stream) error

	// Learn gives the labels, 0 or 1, of events that were folded in before,
	// of any number: labels may be late, so that many become known at once and
	// the state is later than the events. All are labelled, they are in stream
	// order from call to call, and none comes twice between two Resets. What
	// Train was given does not come again: of its events, only those that were
	// unlabelled there as their labels were not known yet. Whatever Learn changes is state: Reset clears it,
	// so that the labels of a validation do not reach the next epoch. Models
	// that do nothing with labels outside Train embed Offline.
	Learn(events datasets.Stream, labels []int8) error

	// Reset clears the state of all nodes, not the parameters.
	Reset()

	// Snapshot copies the parameters, or parameters and state. Most models
	// call Take.
	Snapshot(what Part) Snapshot

	// Restore replaces parameters, and the state if there is one in the
	// snapshot. The snapshot is untrusted: one of another model or size, or
	// with numbers that this model cannot have, is an error that changes
	// nothing. Most models call Put.
	Restore(Snapshot) error

	// NumParams is the number of learnable parameters.
	NumParams() int
}

// Deployer is a model that also has a leaner form for inference alone.
type Deployer interface {
	// Deploy returns a copy with the same parameters and state that answers
	// the same up to rounding, and whose Train returns ErrDeployed. Its
	// snapshots are of a kind of their own. It may share read-only parts and
	// the device with the model: both belong to one goroutine.
	Deploy() (Model, error)
}

// Ahead is a model that is faster when it knows a part of the stream before it
// has answered the beginning.
type Ahead interface {
	// ClassifyAhead is Classify on consecutive batches of the given size (the
	// last may be shorter): the same bits in logits and in the state. part
	// may be any number of events: they are answered as a whole or, with an
	// error, not at all.
	ClassifyAhead(part datasets.Stream, batch int, logits []float32) error
}

// Forgetter is a model that can clear the states of single nodes.
type Forgetter interface {
	// Forget makes the nodes ones without events. It is an error that changes nothing
	// where states of others refer to them; without nodes it says whether that is so.
	Forget(nodes []int32) error
}

// Chooser is a model that is one of several rules (Kind.Choices).
type Chooser interface {
	// Choose makes the model rule i. What Train is given from then on is for
	// that rule.
	Choose(i int)
	// Chosen names the rule that the model is.
	Chosen() string
}

// Close ends what a model has beside its memory, such as a process, if it is an
// io.Closer: whoever built it calls Close when done with it.
func Close(m Model) {
	if c, ok := m.(io.Closer); ok {
		c.Close()
	}
}

// Inside is a model in another process, which measures its calls itself.
type Inside interface {
	// Inside returns the seconds of the last call without the way there and back, or NaN.
	Inside() float64
}

// Factual is a model that knows its Facts. Tables about models leave the
// others out.
type Factual interface{ Facts() Facts }

// Facts describe a built model in tables about models.
type Facts struct {
	// Parameters are the learned ones, by part. Together they are NumParams.
	Parameters []nn.PartSize
	// State is how many numbers are kept of a node.
	State int
	// Forgetting is by how many different factors a state is multiplied when
	// its node occurs; 0 where it is not multiplied by any.
	Forgetting int
}

// HeadPart is the part of a model's parameters that makes a score of what lies
// below it.
const HeadPart = "head"

// Offline is the Learn of models that learn in Train alone, or not at all:
// labels that become known later change nothing.
type Offline struct{}

// Learn does nothing.
func (Offline) Learn(datasets.Stream, []int8) error { return nil }

func (Offline) offline() {}

// NoLinks is the Rank and Score of models that are built for node
// classification alone.
type NoLinks struct{}

// Rank returns ErrTask.
func (NoLinks) Rank(datasets.Stream, Candidates, Counts) error { return ErrTask }

// Score returns ErrTask.
func (NoLinks) Score(datasets.Stream, []int32, []float32) error { return ErrTask }

// Reveal calls the model's Learn with those of the events that are labelled,
// if there are any. An Offline model is not called.
func Reveal(m Model, events datasets.Stream) error {
	if _, offline := m.(interface{ offline() }); offline {
		return nil
	}
	if slices.Contains(events.Label, datasets.Unlabelled) {
		var labelled []int
		for k, label := range events.Label {
			if label != datasets.Unlabelled {
				labelled = append(labelled, k)
			}
		}
		events = events.Select(labelled)
	}
	if len(events.Label) == 0 {
		return nil
	}
	return m.Learn(events.WithoutLabels(), events.Label)
}

// Setup is what a model is built from, beside its options.
type Setup struct {
	Task     protocol.Task
	NumNodes int
	Users    int // bipartite boundary as in datasets.Stream
	NumFeat  int
	Columns  []string // names of the features; nil where they have none
	MaxBatch int
	Events   int // of the whole stream; for Kind.Bytes alone
	// Inference says, to Kind.Bytes alone, that nothing will be trained.
	Inference bool
	// Train is the training part, for what a model fixes before training
	// (bucket edges, time statistics). It has no labels, and must not be
	// retained.
	Train datasets.Stream
	// Fitted, unless it is nil, is what Kind.Fit gave for another Train: a model that is
	// built again without the training part. It is untrusted.
	Fitted  Fitted
	Seed    uint64
	Threads int // threads the model may use; results do not depend on it
	// Snapshots says why Snapshot and Restore will be called, as in "select: best
	// restores the best epoch"; it is empty where they will not be.
	Snapshots string
	// Log is the file to which a model may append what its programs say; "" for none.
	Log string
	// Device returns a device for a model; nil stands for the processor.
	Device func(threads int) (kernels.Device, error)
}

// Fitted are lists of numbers that a model takes of the training part when it is
// built, such as the edges of buckets. What they mean is its kind's business.
type Fitted [][]float64

// NewDevice returns the device that the model runs on. Only the model's
// goroutine uses it.
func (s Setup) NewDevice() (kernels.Device, error) {
	if s.Device == nil {
		return cpu.NewDevice(cpu.Best(), s.Threads), nil
	}
	return s.Device(s.Threads)
}
