// Package head is the classifier that Raw, Graph-Sprints and Deep-Graph-
// Sprints put on top of their inputs: an MLP trained by binary cross-entropy
// with Adam.
package head

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
)

// Options are the head's hyper-parameters (ranges: the paper's table of
// hyper-parameter ranges is wholly inside what is accepted).
type Options struct {
	Hidden      []int   `yaml:"hidden"`       // units of the dense layers, 1 to 3 layers
	Norm        nn.Norm `yaml:"norm"`         // of the hidden units before their ReLU: none or layer
	Dropout     float64 `yaml:"dropout"`      // share of hidden units dropped in training
	LR          float64 `yaml:"lr"`           // Adam's learning rate
	WeightDecay float64 `yaml:"weight_decay"` // L2 added to the gradient, biases included
	PosWeight   float64 `yaml:"pos_weight"`   // weight of positive events in classification
}

// Defaults are the settings of the reference runs.
func Defaults() Options {
	return Options{Hidden: []int{100}, Norm: nn.NoNorm, Dropout: .1, LR: 1e-3, PosWeight: 1}
}

// Validate returns an error for the first value that is out of range.
func (o Options) Validate() error {
	layers := len(o.Hidden) >= 1 && len(o.Hidden) <= 3 && slices.Min(o.Hidden) >= 1 && slices.Max(o.Hidden) <= 4096
	return cmp.Or(
		models.Expect(layers, "hidden", o.Hidden, "1 to 3 layers of 1 to 4096 units"),
		models.OneOf("norm", o.Norm, nn.NoNorm, nn.WithLayer),
		models.Expect(o.Dropout >= 0 && o.Dropout < 1, "dropout", o.Dropout, "0 <= dropout < 1"),
		models.Expect(o.LR > 0 && o.LR <= 10, "lr", o.LR, "0 < lr <= 10"),
		models.InRange("weight_decay", o.WeightDecay, 0, 1),
		models.Expect(o.PosWeight > 0 && o.PosWeight <= 1e6, "pos_weight", o.PosWeight, "0 < pos_weight <= 1e6"),
	)
}

// Head is the MLP with its optimiser and the buffers of one batch.
type Head struct {
	*nn.MLP
	opts    Options
	adam    *nn.Adam
	targets []float32
	weights []float64
	pairs   int // whose targets and weights these are, 0 for none

	params, gradients *nn.Group // the head's own, after the first step
}

// On puts a head on top of x, a node of net with the given rows.
func On(net *nn.Network, x *nn.Node, rows *nn.Rows, o Options, w nn.Wanted) *Head {
	return WithOffset(net, x, nil, rows, o, w)
}

// WithOffset is On, with a number a row that is added to the logit in training
// alone; nil is none.
func WithOffset(net *nn.Network, x, offset *nn.Node, rows *nn.Rows, o Options, w nn.Wanted) *Head {
	maxRows := x.Shape()[0]
	mlp := net.Classifier(x, rows, nn.MLPConfig{
		Name: Prefix, Hidden: o.Hidden, Norm: o.Norm, Dropout: o.Dropout, Offset: offset,
	}, w)
	return &Head{
		MLP: mlp, opts: o, adam: nn.NewAdam(net.Device(), o.LR, o.WeightDecay),
		targets: make([]float32, maxRows), weights: make([]float64, maxRows),
	}
}

// Prefix is in front of the names of the head's parameters.
const Prefix = "head."

// TargetLabels makes the mean cross-entropy of the labelled events of the
// batch the loss of the next run; the input has one row an event. Without
// labels there is none: ok is false.
func (h *Head) TargetLabels(b datasets.Stream) (ok bool) {
	labelled := 0
	for _, l := range b.Label {
		if l != datasets.Unlabelled {
			labelled++
		}
	}
	if labelled == 0 {
		return false
	}
	h.pairs = 0
	for k, l := range b.Label {
		h.targets[k], h.weights[k] = 0, 0
		if l != datasets.Unlabelled {
			h.targets[k], h.weights[k] = float32(l), 1/float64(labelled)
		}
		if l == 1 && h.opts.PosWeight != 1 {
			h.weights[k] = float64(float32(h.weights[k]) * float32(h.opts.PosWeight)) // rounded as in float32: recorded results depend on it
		}
	}
	h.Activate(b.Len())
	h.Target(h.targets, h.weights, b.Len())
	return true
}

// TargetPairs makes the loss of PairTargets that of the next run; the input has a
// positive row for every event, then a negative one for each.
func (h *Head) TargetPairs(b datasets.Stream) {
	n := b.Len()
	if h.pairs != n {
		targets, weights := PairTargets(n)
		h.Target(targets, weights, 2*n)
		h.pairs = n
	}
	h.Activate(2 * n)
}

// PairTargets returns targets and weights of the loss mean BCE(positives, 1) +
// mean BCE(negatives, 0), for n positive rows, then n negative ones.
func PairTargets(n int) (targets []float32, weights []float64) {
	targets = append(slices.Repeat([]float32{1}, n), make([]float32, n)...)
	return targets, slices.Repeat([]float64{1 / float64(n)}, 2*n)
}

// Step moves the head's own parameters by the gradients.
func (h *Head) Step() {
	if h.params == nil { // those of what lies below come first
		t, d := h.Training(), h.Device()
		first := slices.IndexFunc(t.Names, func(name string) bool { return strings.HasPrefix(name, Prefix) })
		h.params, h.gradients = nn.NewGroup(d, t.Params.Buffers[first:]...), nn.NewGroup(d, t.Gradients.Buffers[first:]...)
	}
	h.adam.Step(h.params, h.gradients)
}

// Rollback uncounts a step that was not made.
func (h *Head) Rollback() { h.adam.Rollback() }

// TrainLabels makes one step on the labelled events of the batch; without
// any it does nothing.
func (h *Head) TrainLabels(b datasets.Stream) (float64, error) {
	if !h.TargetLabels(b) {
		return 0, nil
	}
	return h.train(b)
}

// TrainPairs makes one step on the pairs of the batch.
func (h *Head) TrainPairs(b datasets.Stream) (float64, error) {
	h.TargetPairs(b)
	return h.train(b)
}

// TrainRows makes one step on the first rows, one for each target.
func (h *Head) TrainRows(b datasets.Stream, targets []float32, weights []float64) (float64, error) {
	h.pairs = 0
	h.Activate(len(targets))
	h.Target(targets, weights, len(targets))
	return h.train(b)
}

// train makes one step on the targets.
func (h *Head) train(b datasets.Stream) (float64, error) {
	loss, err := Loss(h.Training(), b)
	if err == nil {
		h.Step()
	}
	return loss, err
}

// Classify writes the logits of the batch's rows; b says which events they
// are.
func (h *Head) Classify(b datasets.Stream, logits []float32) error {
	h.Infer(b.Len(), logits)
	return models.CheckScores(b, logits[:b.Len()])
}

// Loss runs the training program of a batch. If features that the device has
// checked before it, the loss or a gradient are not finite, the error names the
// first of them.
func Loss(t *nn.Training, b datasets.Stream) (float64, error) {
	return CheckLoss(t, t.Run(), b)
}

// CheckLoss returns the loss that t.Answer has returned for a batch, or an error
// as Loss does.
func CheckLoss(t *nn.Training, answer float32, b datasets.Stream) (float64, error) {
	loss := float64(answer)
	switch first, last := b.EventID(0), b.EventID(b.Len()-1); {
	case t.BadInput():
		return 0, models.BadFeature(b)
	case math.IsNaN(loss) || math.IsInf(loss, 0):
		return 0, fmt.Errorf("training loss of events %d to %d is %v", first, last, loss)
	case t.Fault() != "":
		return 0, fmt.Errorf("training on events %d to %d: %s", first, last, t.Fault())
	}
	return loss, nil
}
