package heuristic

import (
	"dgsbench/models"
	"dgsbench/protocol"
)

// None is the option set of rules without options.
type None struct{}

// Validate accepts it.
func (*None) Validate() error { return nil }

func init() {
	register("recency", protocol.LinkPrediction, func(s models.Setup) models.Model { return newLinkRule(s, byRecency, level) })
	register("popularity", protocol.LinkPrediction, func(s models.Setup) models.Model { return newLinkRule(s, ignorePairs, byPopularity) })
	register("recency-pop", protocol.LinkPrediction, func(s models.Setup) models.Model { return newLinkRule(s, byRecency, byPopularity) })
	register("user-count", protocol.NodeClassification, func(s models.Setup) models.Model { return newUserRule(s, fewerEvents) })
	register("user-age", protocol.NodeClassification, func(s models.Setup) models.Model { return newUserRule(s, younger) })
}

// bytesOf is the memory of a rule: counts and times of the nodes, and in link
// prediction their pairs, of which every event may make one: an entry and
// its place in a map that is half full.
func bytesOf(s models.Setup, _ models.Options) int64 {
	if s.Task == protocol.NodeClassification {
		return (8 + 8) * int64(s.NumNodes)
	}
	return (8+1+8+24)*int64(s.NumNodes) + (36+40)*int64(s.Events)
}

func register(name string, task protocol.Task, build func(models.Setup) models.Model) {
	models.Register(models.Kind{
		Name: name, Class: protocol.ZeroParameter, Memory: true, Tasks: []protocol.Task{task},
		Options: func() models.Options { return &None{} },
		Bytes:   bytesOf,
		New:     func(s models.Setup, _ models.Options) (models.Model, error) { return build(s), nil },
	})
}
