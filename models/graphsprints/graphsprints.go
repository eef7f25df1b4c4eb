// Package graphsprints is Graph-Sprints as equation 1 of the Deep-Graph-
// Sprints paper defines it: per node a vector of feature histograms S, and
// for an event (u, v, F) and each endpoint n with other endpoint o
//
//	S_n <- beta S_n + (1-beta) [ (1-alpha) delta(F) + alpha S_o ]
//
// where delta(F) puts a one in the bucket of every feature. alpha and beta
// are scalars and nothing in the embedding is learned; an MLP classifies
// S_u after the event, or scores [S_u || S_v] before it.
//
// Matches the paper: equation, both endpoints updated, stale reads within a
// batch, head inputs of both tasks. Unknown there, and our choice: buckets
// are the distinct train percentiles 10, 20 ... 90; S starts at zero; the
// last write of a batch survives. Differs from the original Graph-Sprints
// paper: no hashing of buckets, no forgetting by time, and link prediction on
// the two states (as the Deep-Graph-Sprints paper has it).
package graphsprints

import (
	"slices"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/buckets"
	"dgsbench/models/head"
	"dgsbench/models/lastwrite"
	"dgsbench/models/pairrank"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Model is Graph-Sprints with its head.
type Model struct {
	models.Offline
	*pairrank.Ranker // Rank and Score; nil in classification

	setup  models.Setup
	opts   *Options
	device kernels.Device
	states *states
	head   *head.Head
	params int           // learnable ones
	parts  []nn.PartSize // of params
	pairs  []int32       // scratch
}

// New builds the model for one trial; the bucket edges come from
// s.Train.
func New(s models.Setup, o *Options) (*Model, error) {
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	b, err := buckets.Of(s.Fitted, s.Train, s.NumFeat, o.Buckets)
	if err != nil {
		return nil, err
	}
	return newOn(d, s, o, b, nil), nil
}

// newOn builds it on a device, with a projection for a deployed one.
func newOn(d kernels.Device, s models.Setup, o *Options, b *buckets.Buckets, p *projection) *Model {
	m := &Model{setup: s, opts: o, device: d, states: newStates(d, o, b, p, s)}
	m.setup.Train = datasets.Stream{} // must not be retained
	in, maxRows := m.states.cols, s.MaxBatch
	if s.Task == protocol.LinkPrediction {
		in, maxRows = 2*in, 2*maxRows
	}
	net, rows := nn.NewNetwork(d, s.Seed), nn.NewRows(maxRows)
	m.head = head.On(net, net.Input("x", rows, in), rows, o.Head, nn.Wanted{})
	m.params, m.parts = m.head.NumParams(), m.head.Parts()
	if s.Task == protocol.LinkPrediction {
		m.Ranker = pairrank.New(d, m.head.PairLayers(m.states.cols), m.states, s)
	}
	return m
}

// Train makes one step of the head and folds the batch in. The states do
// not depend on anything learned. A deployed model cannot be trained.
func (m *Model) Train(b datasets.Stream, negatives []int32) (loss float64, err error) {
	if m.states.projection != nil {
		return 0, models.ErrDeployed
	}
	if err := m.states.read(b); err != nil {
		return 0, err
	}
	if m.setup.Task == protocol.NodeClassification {
		m.states.sourcesAfter(b, m.head.Leaf())
		loss, err = m.head.TrainLabels(b)
	} else {
		m.pairs = m.pairs[:0]
		for _, destinations := range [][]int32{b.Dst, negatives} {
			for k, v := range destinations[:b.Len()] {
				m.pairs = append(m.pairs, b.Src[k], v)
			}
		}
		m.states.Gather(m.pairs, m.head.Leaf())
		loss, err = m.head.TrainPairs(b)
		m.Ranker.InvalidateAll()
	}
	if err != nil {
		return 0, err
	}
	m.fold(b)
	return loss, nil
}

func (m *Model) fold(b datasets.Stream) {
	writes := m.states.fold(b)
	m.Ranker.Invalidate(lastwrite.Selves(writes))
}

func (m *Model) Classify(b datasets.Stream, logits []float32) error {
	if m.setup.Task != protocol.NodeClassification {
		return models.ErrTask
	}
	if err := m.states.read(b); err != nil {
		return err
	}
	m.states.sourcesAfter(b, m.head.Leaf())
	if err := m.head.Classify(b, logits); err != nil {
		return err
	}
	m.fold(b)
	return nil
}

func (m *Model) Observe(b datasets.Stream) error {
	if err := m.states.read(b); err != nil {
		return err
	}
	m.fold(b)
	return nil
}

func (m *Model) Reset() {
	m.states.reset()
	m.InvalidateAll()
}

// Forget makes the states of the nodes zero.
func (m *Model) Forget(nodes []int32) error {
	for _, n := range nodes {
		m.device.Zero(m.states.cols, m.device.View(m.states.table, int(n)*m.states.cols, m.states.cols))
	}
	m.Invalidate(slices.Values(nodes))
	return nil
}

func (m *Model) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, m.fields(), m.states.fields())
}

func (m *Model) Restore(s models.Snapshot) error {
	if err := models.Put(s, m.fields(), m.states.fields()); err != nil {
		return err
	}
	m.InvalidateAll()
	return nil
}

// fields are the parameters. Those of a deployed model end with its projection.
func (m *Model) fields() models.Fields {
	params := models.ParamsOf(m.head.Network)
	if p := m.states.projection; p != nil {
		params = append(params, models.OnDevice("projection", m.device, p.w, p.buckets, p.cols))
	}
	return params
}

// NumParams counts the head's parameters, those of training: the embedding
// has none.
func (m *Model) NumParams() int { return m.params }

// Facts are those of training for a deployed model, too. Alpha and beta, or
// what replaces it, are one number each, and not learned.
func (m *Model) Facts() models.Facts {
	return models.Facts{Parameters: m.parts, State: m.states.buckets.Size(), Forgetting: 2}
}
