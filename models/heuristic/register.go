package heuristic

import "dgsbench/models"

// None is the option set of rules without options.
type None struct{}

// Validate accepts it.
func (*None) Validate() error { return nil }

func init() {
	register("recency", models.LinkPrediction, func(s models.Setup) models.Model { return newLinkRule(s, byRecency, level) })
	register("popularity", models.LinkPrediction, func(s models.Setup) models.Model { return newLinkRule(s, ignorePairs, byPopularity) })
	register("recency-pop", models.LinkPrediction, func(s models.Setup) models.Model { return newLinkRule(s, byRecency, byPopularity) })
	register("user-count", models.NodeClassification, func(s models.Setup) models.Model { return newUserRule(s, fewerEvents) })
	register("user-age", models.NodeClassification, func(s models.Setup) models.Model { return newUserRule(s, younger) })
}

func register(name string, task models.Task, build func(models.Setup) models.Model) {
	models.Register(models.Kind{
		Name: name, Class: models.ZeroParameter, Memory: true, Tasks: []models.Task{task},
		Options: func() models.Options { return &None{} },
		New:     func(s models.Setup, _ models.Options) (models.Model, error) { return build(s), nil },
	})
}
