package graphsprints

import (
	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/buckets"
)

// addStep adds a step with states that are histograms, as in checkpoints.
func addStep(s *models.Step, o *Options) error {
	b, err := buckets.Of(s.Saved.Fitted, datasets.Stream{}, s.Saved.Features, o.Buckets)
	if err != nil {
		return err
	}
	alpha, beta := s.Floats("alpha", []float32{float32(o.Alpha)}), s.Floats("beta", []float32{float32(o.Beta)})
	o.Head.Step(s, s.Mix(b.Size(), b.OneHot(s.Model, s.Features), alpha, beta))
	return nil
}
