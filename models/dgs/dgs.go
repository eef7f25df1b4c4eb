// Package dgs is Deep-Graph-Sprints: per node a state S, and for an event (u,
// v, F) and each endpoint n with other endpoint o, all right-hand sides from
// before the batch,
//
//	S_n <- beta S_n + (1-beta) [ (1-alpha) E(F) + alpha S_o ]
//
// elementwise, E(F) being softmaxes of blocks of W F (equation 2 of the
// paper). An MLP, the head, classifies S_u after the event, or scores [S_u ||
// S_v] before it.
//
// # Training
//
// The head learns by backpropagation, and alpha, beta and W forward in time
// (real-time recurrent learning, section 3.2 of the paper): every node stores
// the derivatives of its state, A by alpha, B by beta and J by W. Train
// (train.go) reads top to bottom:
//
//   - Backpropagation through the graph of one step (network.go), from the loss
//     to the parameters and to the states from before the batch.
//   - The new states with their derivatives (derivatives.go), computed with
//     the parameters from before the step.
//   - The loss changes with W also through every earlier state, by dL/dS J:
//     what comes from there is added to the gradients.
//   - The step, and the commit of states and derivatives.
//
// Without the third this is backpropagation truncated to one step: DGS-bp. The
// other variants of the paper's ablation differ in E (sums or buckets instead of
// softmaxes) and in whether alpha and beta are vectors or scalars.
//
// Evaluation stores no derivatives. A node whose state was written by Observe
// or Classify counts as a constant from there on.
package dgs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/internal/ram"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/buckets"
	"dgsbench/models/lastwrite"
	"dgsbench/models/pairrank"
	"dgsbench/protocol"
)

func init() {
	models.Register(models.Kind{
		Name: "dgs", Class: protocol.Learned, Memory: true, Features: models.FeaturesRequired, LogOdds: true,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return Defaults() },
		Bytes:   func(s models.Setup, o models.Options) int64 { return Bytes(o.(*Options), s) },
		Fit:     func(s models.Setup, o models.Options) models.Fitted { return fit(s, o.(*Options)) },
		Step:    func(s *models.Step) error { return addStep(s, s.Saved.Options.(*Options)) },
		New:     func(s models.Setup, o models.Options) (models.Model, error) { return New(s, o.(*Options)) },
	})
}

// Model is Deep-Graph-Sprints with its head.
type Model struct {
	models.Offline
	*pairrank.Ranker // Rank and Score; nil in classification

	setup        models.Setup
	opts         *Options
	trainedNodes int // of the training part: those that get derivatives
	device       kernels.Device
	net          *network
	states       *states
	training     *training // from the first Train on
	ahead        *ahead    // from the first ClassifyAhead on, until training changes parameters
}

// errTruncated says why one variant cannot do one task.
var errTruncated = errors.New("gradient: truncated cannot train link prediction: its loss is about states from before the batch, which then count as constants; use gradient: forward")

// New builds the model for one trial.
func New(s models.Setup, o *Options) (*Model, error) {
	if s.Task == protocol.LinkPrediction && o.Gradient == Truncated {
		return nil, errTruncated
	}
	if o.Embedding == Buckets { // checked here, once
		if s.Fitted == nil {
			s.Fitted = fit(s, o)
		}
		if _, err := buckets.Of(s.Fitted, s.Train, s.NumFeat, o.Buckets); err != nil {
			return nil, err
		}
	}
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	m := newOn(d, s, o)
	if s.Task == protocol.LinkPrediction {
		m.Ranker = pairrank.New(m.device, m.net.head.PairLayers(m.net.size), m.states, s)
	}
	return m, nil
}

// fit returns the edges of the buckets, where there are any.
func fit(s models.Setup, o *Options) models.Fitted {
	if o.Embedding != Buckets {
		return nil
	}
	return buckets.New(s.Train, o.Buckets).Edges
}

// newOn builds the model on a device, without what ranking needs.
func newOn(d kernels.Device, s models.Setup, o *Options) *Model {
	m := &Model{setup: s, opts: o, device: d, trainedNodes: len(s.Train.Nodes())}
	m.setup.Train = datasets.Stream{} // must not be retained
	size, b := o.Size, (*buckets.Buckets)(nil)
	if o.Embedding == Buckets {
		var err error
		if b, err = buckets.Of(s.Fitted, s.Train, s.NumFeat, o.Buckets); err != nil {
			panic(err)
		}
		size = b.Size()
	}
	m.net = newNetwork(d, o, size, s, b)
	m.states = newStates(d, m.net, s)
	m.net.states = m.states
	return m
}

func (m *Model) Classify(b datasets.Stream, logits []float32) error {
	if m.setup.Task != protocol.NodeClassification {
		return models.ErrTask
	}
	m.net.setBatch(b)
	m.states.planInference(b)
	return m.commitInference(m.net.head.Classify(b, logits))
}

func (m *Model) Observe(b datasets.Stream) error {
	m.net.setBatch(b)
	m.states.planInference(b)
	m.net.observe.Run()
	return m.commitInference(nil)
}

// commitInference makes the new states of the batch current, unless it failed.
func (m *Model) commitInference(err error) error {
	if err := cmp.Or(m.net.inferenceError(), err); err != nil {
		return err
	}
	m.states.commitInference()
	m.forgetWrites()
	m.Ranker.Invalidate(lastwrite.Selves(m.states.writes))
	return nil
}

// forgetWrites forgets the derivatives of the states that were written.
func (m *Model) forgetWrites() {
	if t := m.training; t != nil && t.hasDerivatives && t.derivatives != nil {
		t.derivatives.forgetWrites()
	}
}

// Reset makes all states and derivatives zero.
func (m *Model) Reset() {
	m.states.reset()
	m.everythingChanged()
}

// Forget makes the states of the nodes zero.
func (m *Model) Forget(nodes []int32) error {
	for _, n := range nodes {
		m.device.Zero(m.net.size, m.device.View(m.states.table, int(m.states.rowOf.Of(n))*m.net.size, m.net.size))
	}
	m.everythingChanged()
	return nil
}

// everythingChanged is called when all states or parameters are new.
func (m *Model) everythingChanged() {
	if t := m.training; t != nil && t.hasDerivatives && t.derivatives != nil {
		t.derivatives.forgetAll()
		t.hasDerivatives = false
	}
	m.Ranker.InvalidateAll()
}

// Snapshot copies parameters and, where asked, the states. Derivatives are
// not part of it: a restored state counts as a constant.
func (m *Model) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, m.params(), m.states.fields())
}

func (m *Model) Restore(s models.Snapshot) error {
	if err := models.Put(s, m.params(), m.states.fields()); err != nil {
		return err
	}
	m.everythingChanged()
	if m.ahead != nil {
		m.ahead.copyParams(m.net)
	}
	return nil
}

// params are the parameters of head and embedding.
func (m *Model) params() models.Fields {
	params := models.ParamsOf(m.net.Network)
	for i, f := range params {
		if m.opts.Range == Clamp && (f.Name == "alpha" || f.Name == "beta") {
			params[i].Check = func(saved []models.Tensor) error {
				outside := func(x float32) bool { return !(x >= 0 && x <= 1) }
				if slices.ContainsFunc(saved[0].F32, outside) {
					return fmt.Errorf("snapshot tensor %s has a number beyond 0 and 1, with range: %s", saved[0], Clamp)
				}
				return nil
			}
		}
	}
	return params
}

// NumParams counts the parameters of the head and those below it.
func (m *Model) NumParams() int { return m.net.NumParams() }

// Facts count alpha and beta by their different values; with factors: input
// every event has its own.
func (m *Model) Facts() models.Facts {
	forgetting := 2 * m.net.size
	if m.opts.Factors == Scalar {
		forgetting = 2
	}
	return models.Facts{Parameters: m.net.Parts(), State: m.net.size, Forgetting: forgetting}
}

// Bytes returns the memory that a model takes on the stream of s. Most of it
// is the Jacobians of the nodes of the training part, if it is trained.
func Bytes(o *Options, s models.Setup) int64 {
	size := o.Size
	if o.Embedding == Buckets {
		b, err := buckets.Of(s.Fitted, s.Train, s.NumFeat, o.Buckets)
		if err != nil {
			return 0 // New returns the error
		}
		size = b.Size()
	}
	return bytesFor(o, size, len(s.Train.Nodes()), s)
}

// bytesFor counts the tables of all nodes (states in two halves, A and B, and
// in link prediction the right parts of the head), the Jacobians of the
// trained ones, and the drive of a batch.
func bytesFor(o *Options, size, trained int, s models.Setup) int64 {
	shape := jacobianShape(o, size, s.NumFeat)
	perNode, writes := 2*4*int64(size), 2*int64(s.MaxBatch)
	if s.Task == protocol.LinkPrediction {
		perNode += 4 * int64(o.Head.Hidden[0])
	}
	if o.Gradient != Forward || s.Inference {
		return perNode * int64(s.NumNodes)
	}
	perNode += 2 * 4 * int64(size)
	drive := 4 * writes * int64(shape.Lanes())
	return perNode*int64(s.NumNodes) + shape.Bytes()*int64(trained) + drive
}

// checkMemory reports training that does not fit into the machine's memory; a
// card checks its own. Without derivatives training needs no more than
// inference.
func (m *Model) checkMemory() error {
	if _, elsewhere := m.device.(kernels.MemoryOwner); elsewhere || m.opts.Gradient != Forward {
		return nil
	}
	need := bytesFor(m.opts, m.net.size, m.trainedNodes, m.setup)
	free, known := ram.Available()
	if !known || need <= free {
		return nil
	}
	return fmt.Errorf("training needs %.1f GB, most of it derivatives of %d nodes, and this machine has %.1f GB free: choose more blocks (the memory goes with size / blocks), a smaller size, or jacobian: %s",
		float64(need)/1e9, m.trainedNodes, float64(free)/1e9, BFloat16)
}
