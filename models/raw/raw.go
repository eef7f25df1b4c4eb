// Package raw is the paper's memoryless baseline: an MLP on the features of
// the event alone (section on node classification; no link prediction, as
// the features are unknown before the edge).
//
// Matches the paper: inputs, task, loss. Unknown there: layer sizes and
// learning rate, which are options.
package raw

import (
	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/head"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Options of Raw.
type Options struct {
	Head head.Options `yaml:"head"`
}

// Validate returns an error for the first value that is out of range.
func (o *Options) Validate() error { return models.InOption("head", o.Head.Validate()) }

func init() {
	models.Register(models.Kind{
		Name: "raw", Class: protocol.Learned, Features: models.FeaturesRequired,
		Tasks:   []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &Options{Head: head.Defaults()} },
		New:     func(s models.Setup, o models.Options) (models.Model, error) { return New(s, o.(*Options)) },
	})
}

// Raw classifies events by their features.
type Raw struct {
	models.Offline
	head  *head.Head
	batch datasets.Stream // of Classify
}

var _ models.Model = (*Raw)(nil)

// New builds the model for one trial.
func New(s models.Setup, o *Options) (*Raw, error) {
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	r := &Raw{}
	net, rows := nn.NewNetwork(d, s.Seed), nn.NewRows(s.MaxBatch)
	x := net.FromHost("x", rows, s.NumFeat, func() []float32 { return r.batch.Feat }).Node
	r.head = head.On(net, x, rows, o.Head, s.MaxBatch, nn.Wanted{})
	return r, nil
}

// Train makes one step on the batch's labels.
func (r *Raw) Train(b datasets.Stream, _ []int32) (float64, error) {
	if err := models.CheckFeatures(b); err != nil {
		return 0, err
	}
	r.head.Device().Write(r.head.Leaf(), b.Feat)
	return r.head.TrainLabels(b)
}

// Classify writes the logits of the batch's events.
func (r *Raw) Classify(b datasets.Stream, logits []float32) error {
	if err := models.CheckFeatures(b); err != nil {
		return err
	}
	r.batch = b
	return r.head.Classify(b, logits)
}

// Rank returns ErrTask: see the package comment.
func (r *Raw) Rank(datasets.Stream, models.Candidates, models.Counts) error {
	return models.ErrTask
}

// Score returns ErrTask.
func (r *Raw) Score(datasets.Stream, []int32, []float32) error { return models.ErrTask }

// Observe does nothing: Raw has no state.
func (r *Raw) Observe(datasets.Stream) error { return nil }

// Reset does nothing.
func (r *Raw) Reset() {}

// Snapshot copies the parameters; there is no state.
func (r *Raw) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, r.head.Tensors(), nil)
}

// Restore replaces the parameters.
func (r *Raw) Restore(s models.Snapshot) error { return models.Put(s, r.head.Restore, nil) }

// NumParams counts the head's parameters.
func (r *Raw) NumParams() int { return r.head.NumParams() }

// Facts are those of the head: there is no state.
func (r *Raw) Facts() models.Facts { return models.Facts{Parameters: r.head.Parts()} }
