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

// oracle scores by the stream's truth. It keeps nothing: a simulator knows
// the history of every event.
type oracle struct {
	models.Offline
	task protocol.Task
}

// errNoTruth says that the data is real.
var errNoTruth = errors.New("the oracle knows the hidden state of simulated streams, and this stream has none")

func init() {
	models.Register(models.Kind{
		Name: "oracle", Class: protocol.Oracle, Features: models.FeaturesIgnored, LogOdds: true,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return &models.NoOptions{} },
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
			return &oracle{task: s.Task}, nil
		},
	})
}

// check returns an error for a method of another task and for real data.
func (o *oracle) check(task protocol.Task, b datasets.Stream) error {
	if o.task != task {
		return models.ErrTask
	}
	if b.Truth == nil {
		return errNoTruth
	}
	return nil
}

// Classify writes the log-odds of the labels, history through the event.
func (o *oracle) Classify(b datasets.Stream, logits []float32) error {
	if err := o.check(protocol.NodeClassification, b); err != nil {
		return err
	}
	for k := range b.Len() {
		logits[k] = float32(b.Truth.Logit(b.EventID(k)))
	}
	return nil
}

// Score writes the simulator's scores, history before the event.
func (o *oracle) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	if err := o.check(protocol.LinkPrediction, b); err != nil {
		return err
	}
	n := len(candidates)
	for k := range b.Len() {
		b.Truth.Links(b.EventID(k), candidates, logits[k*n:(k+1)*n])
	}
	return nil
}

// Rank counts by the scores of Score.
func (o *oracle) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	if err := o.check(protocol.LinkPrediction, b); err != nil {
		return err
	}
	return models.RankScores(b, c, out, func(k int, nodes []int32, scores []float32) error {
		b.Truth.Links(b.EventID(k), nodes, scores)
		return nil
	})
}

// Nothing is learned or kept.

func (o *oracle) Train(datasets.Stream, []int32) (float64, error) { return 0, nil }
func (o *oracle) Observe(datasets.Stream) error                   { return nil }
func (o *oracle) Reset()                                          {}
func (o *oracle) Snapshot(what models.Part) models.Snapshot       { return models.Take(what, nil, nil) }
func (o *oracle) Restore(s models.Snapshot) error                 { return models.Put(s, nil, nil) }
func (o *oracle) NumParams() int                                  { return 0 }
