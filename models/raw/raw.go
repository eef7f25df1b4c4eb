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

// Validate returns an error for the first value that is out of range. Without
// hidden layers, which other heads need, Raw is logistic regression.
func (o *Options) Validate() error {
	head := o.Head
	if len(head.Hidden) == 0 {
		head.Hidden = []int{1}
	}
	return models.InOption("head", head.Validate())
}

func init() {
	models.Register(models.Kind{
		Name: "raw", Class: protocol.Learned, Features: models.FeaturesRequired, LogOdds: true,
		Tasks:   []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &Options{Head: head.Defaults()} },
		Step:    func(s *models.Step) error { s.Saved.Options.(*Options).Head.Step(s, s.Features); return nil },
		New:     func(s models.Setup, o models.Options) (models.Model, error) { return New(s, o.(*Options)) },
	})
}

// Raw classifies events by their features.
type Raw struct {
	models.Offline
	models.NoLinks // see the package comment
	head           *head.Head
	batch          datasets.Stream
}

// New builds the model for one trial.
func New(s models.Setup, o *Options) (*Raw, error) {
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	r := &Raw{}
	net, rows := nn.NewNetwork(d, s.Seed), nn.NewRows(s.MaxBatch)
	x := net.FromHost("x", rows, s.NumFeat, func() []float32 { return r.batch.Feat })
	r.head = head.On(net, x, rows, o.Head, nn.Wanted{})
	return r, nil
}

// Train makes one step on the batch's labels.
func (r *Raw) Train(b datasets.Stream, _ []int32) (float64, error) {
	if err := models.CheckFeatures(b); err != nil {
		return 0, err
	}
	r.batch = b
	return r.head.TrainLabels(b)
}

func (r *Raw) Classify(b datasets.Stream, logits []float32) error {
	if err := models.CheckFeatures(b); err != nil {
		return err
	}
	r.batch = b
	return r.head.Classify(b, logits)
}

// There is no state.

func (r *Raw) Observe(datasets.Stream) error { return nil }
func (r *Raw) Reset()                        {}
func (r *Raw) Forget([]int32) error          { return nil }

// Snapshot copies the parameters.
func (r *Raw) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, models.ParamsOf(r.head.Network), nil)
}

// Restore replaces the parameters.
func (r *Raw) Restore(s models.Snapshot) error {
	return models.Put(s, models.ParamsOf(r.head.Network), nil)
}

// NumParams counts the head's parameters.
func (r *Raw) NumParams() int { return r.head.NumParams() }

// Facts are those of the head: there is no state.
func (r *Raw) Facts() models.Facts { return models.Facts{Parameters: r.head.Parts()} }
