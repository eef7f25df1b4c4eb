package graphsprints

import (
	"cmp"

	"dgsbench/models"
	"dgsbench/models/buckets"
	"dgsbench/models/head"
	"dgsbench/protocol"
)

// Options of Graph-Sprints.
type Options struct {
	Alpha   float64      `yaml:"alpha"`   // share of the other endpoint's state in what is mixed in
	Beta    float64      `yaml:"beta"`    // share of the own state that is kept
	Buckets int          `yaml:"buckets"` // most buckets a feature: percentile steps of the training part
	Head    head.Options `yaml:"head"`
}

// Defaults returns the settings of the reference runs.
func Defaults() *Options {
	return &Options{Alpha: .5, Beta: .8, Buckets: 10, Head: head.Defaults()}
}

// Validate returns an error for the first value that is out of range. alpha
// and beta may be 1, as in the paper's search range, although beta 1 freezes
// the states.
func (o *Options) Validate() error {
	return cmp.Or(
		models.InRange("alpha", o.Alpha, 0, 1),
		models.InRange("beta", o.Beta, 0, 1),
		models.InRange("buckets", o.Buckets, 2, 100),
		models.InOption("head", o.Head.Validate()),
	)
}

// bytes returns the memory of a model: the states of all nodes, and in link prediction the candidates' parts of the head.
func (o *Options) bytes(s models.Setup) int64 {
	b, err := buckets.Of(s.Fitted, s.Train, s.NumFeat, o.Buckets)
	if err != nil {
		return 0 // New returns the error
	}
	each := 4*b.Size() + 4
	if s.Task == protocol.LinkPrediction {
		each += 4*o.Head.Hidden[0] + 4 + 4
	}
	return int64(each) * int64(s.NumNodes)
}

func init() {
	models.Register(models.Kind{
		Name: "graphsprints", Class: protocol.Learned, Memory: true, Features: models.FeaturesRequired, Deploys: true, LogOdds: true,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return Defaults() },
		Bytes:   func(s models.Setup, o models.Options) int64 { return o.(*Options).bytes(s) },
		Fit: func(s models.Setup, o models.Options) models.Fitted {
			return buckets.New(s.Train, o.(*Options).Buckets).Edges
		},
		Step: func(s *models.Step) error { return addStep(s, s.Saved.Options.(*Options)) },
		New:  func(s models.Setup, o models.Options) (models.Model, error) { return New(s, o.(*Options)) },
	})
}
