// Package oracle holds the row that knows a simulator's hidden state: the
// upper bound of a table, which no model can attain. It says how much there is
// to learn on simulated data, and it cannot be run on any other.
package oracle

import (
	"errors"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Options of the oracle: there are none.
type Options struct{}

// Validate accepts them.
func (*Options) Validate() error { return nil }

// oracle passes the stream's truth on. It keeps nothing: a simulator knows
// the history of every event.
type oracle struct {
	models.Offline
	task   protocol.Task
	scores []float32 // scratch: of the candidates, then the true destination
	nodes  []int32   // scratch: the same nodes
	left   []bool    // scratch: the node is no negative
}

var _ models.Model = (*oracle)(nil)

// errNoTruth says that the data is real.
var errNoTruth = errors.New("the oracle knows the hidden state of simulated streams, and this stream has none")

func init() {
	models.Register(models.Kind{
		Name: "oracle", Class: protocol.Oracle, Features: models.FeaturesIgnored,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return &Options{} },
		Bytes: func(s models.Setup, _ models.Options) int64 {
			if s.Train.Truth == nil {
				return 0
			}
			return s.Train.Truth.Bytes(s.Task == protocol.LinkPrediction)
		},
		New: func(s models.Setup, _ models.Options) (models.Model, error) {
			if s.Train.Truth == nil {
				return nil, errNoTruth
			}
			return &oracle{task: s.Task, left: make([]bool, s.NumNodes)}, nil
		},
	})
}

// Classify writes the log-odds of the labels, history through the event.
func (o *oracle) Classify(b datasets.Stream, logits []float32) error {
	if o.task != protocol.NodeClassification {
		return models.ErrTask
	}
	if b.Truth == nil {
		return errNoTruth
	}
	for k := range b.Len() {
		logits[k] = float32(b.Truth.Logit(b.EventID(k)))
	}
	return nil
}

// Score writes the simulator's scores, history before the event.
func (o *oracle) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	if o.task != protocol.LinkPrediction {
		return models.ErrTask
	}
	if b.Truth == nil {
		return errNoTruth
	}
	n := len(candidates)
	for k := range b.Len() {
		b.Truth.Links(b.EventID(k), candidates, logits[k*n:(k+1)*n])
	}
	return nil
}

// Rank counts by Score.
func (o *oracle) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	n := len(c.Nodes)
	o.nodes = append(append(o.nodes[:0], c.Nodes...), 0)
	o.scores = append(o.scores[:0], make([]float32, n+1)...)
	for k := range b.Len() {
		o.nodes[n] = b.Dst[k]
		if err := o.Score(b.Slice(k, k+1), o.nodes, o.scores); err != nil {
			return err
		}
		out.Greater[k], out.Equal[k] = 0, 0
		if !models.Finite(o.scores[n]) {
			return &models.BadScore{Event: b.EventID(k), Score: float64(o.scores[n])}
		}
		without := []int32{}
		if c.Without != nil {
			without = c.Without[k]
		}
		o.mark(without, b.Dst[k], true)
		for i, v := range c.Nodes {
			switch {
			case o.left[v]:
			case o.scores[i] > o.scores[n]:
				out.Greater[k]++
			case o.scores[i] == o.scores[n]:
				out.Equal[k]++
			}
		}
		o.mark(without, b.Dst[k], false)
	}
	return nil
}

// mark says whether the true destination and the excluded nodes are left out.
func (o *oracle) mark(without []int32, dst int32, left bool) {
	o.left[dst] = left
	for _, v := range without {
		o.left[v] = left
	}
}

// Train learns nothing.
func (o *oracle) Train(datasets.Stream, []int32) (float64, error) { return 0, nil }

// Observe learns nothing.
func (o *oracle) Observe(datasets.Stream) error { return nil }

// Reset has nothing to forget.
func (o *oracle) Reset() {}

// Snapshot is empty.
func (o *oracle) Snapshot(models.Part) models.Snapshot { return models.Snapshot{} }

// Restore takes what Snapshot gives.
func (o *oracle) Restore(s models.Snapshot) error {
	if len(s.Params) > 0 || len(s.State) > 0 {
		return errors.New("the snapshot is of another model: the oracle has neither parameters nor state")
	}
	return nil
}

// NumParams is 0.
func (o *oracle) NumParams() int { return 0 }
