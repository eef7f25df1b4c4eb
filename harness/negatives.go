package harness

import (
	"errors"
	"math/rand/v2"

	"dgsbench/datasets"
	"dgsbench/nn"
	"dgsbench/specs"
)

// negatives are the negative destinations of training: one an event, uniform
// over one of some lists of nodes, each with the same probability, with
// replacement and without rejecting true destinations (as PyG's loader and the
// paper's baselines).
type negatives struct {
	rng   *rand.Rand
	lists [][]int32
	drawn []int32
}

// negativeLists make the lists of each source.
var negativeLists = map[specs.NegativeSource]func(datasets.Parts) [][]int32{
	specs.TrainDestinations: func(p datasets.Parts) [][]int32 { return [][]int32{p.Train.Destinations()} },
	specs.TrainNodes:        func(p datasets.Parts) [][]int32 { return [][]int32{p.Train.Nodes()} },
	specs.MixedNegatives: func(p datasets.Parts) [][]int32 {
		return [][]int32{p.Train.Destinations(), p.Train.Nodes()}
	},
	specs.LaterDestinations: func(p datasets.Parts) [][]int32 { return [][]int32{p.Whole.Destinations()} },
}

// newNegatives are those of a trial.
func newNegatives(spec specs.Trial, p datasets.Parts) (*negatives, error) {
	if p.Train.Len() == 0 {
		return nil, errors.New("the training part has no event to draw negatives from")
	}
	return &negatives{
		rng: nn.Rand(spec.Seed, nn.ForNegatives), lists: negativeLists[spec.Protocol.TrainNegatives](p),
		drawn: make([]int32, spec.Protocol.Batch),
	}, nil
}

// draw gives those of a batch of n events, which the next call overwrites.
func (n *negatives) draw(events int) []int32 {
	drawn := n.drawn[:events]
	for i := range drawn {
		list := n.lists[0]
		if len(n.lists) > 1 {
			list = n.lists[n.rng.IntN(len(n.lists))]
		}
		drawn[i] = list[n.rng.IntN(len(list))]
	}
	return drawn
}
