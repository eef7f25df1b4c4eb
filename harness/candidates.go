package harness

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// candidateSet is a named set of nodes, ascending.
type candidateSet struct {
	name  protocol.CandidateSet
	nodes []int32
}

// newCandidateSet returns the set of the given name over the whole stream.
func newCandidateSet(name protocol.CandidateSet, s datasets.Stream) candidateSet {
	if name == protocol.Destinations {
		return candidateSet{name, s.Destinations()}
	}
	nodes := make([]int32, s.NumNodes)
	for i := range nodes {
		nodes[i] = int32(i)
	}
	return candidateSet{name, nodes}
}

// checksum changes when a model writes to the nodes.
func (c candidateSet) checksum() (sum uint64) {
	for _, node := range c.nodes {
		sum = sum*1099511628211 + uint64(node) + 1
	}
	return sum
}

// sample returns k distinct members, ascending; all if k is 0 or at least their number.
func (c candidateSet) sample(rng *rand.Rand, k int) candidateSet {
	if k == 0 || k >= len(c.nodes) {
		return c
	}
	picked := make([]int32, 0, k)
	for _, i := range rng.Perm(len(c.nodes))[:k] {
		picked = append(picked, c.nodes[i])
	}
	slices.Sort(picked)
	return candidateSet{c.name, picked}
}

// numNegatives returns the number of candidates that event k of a batch is
// ranked against, without its true destination.
func numNegatives(c models.Candidates, k int, dst int32) int32 {
	excluded := []int32{dst}
	if c.Without != nil {
		excluded = append(excluded, c.Without[k]...) // dst is not among them
	}
	n := len(c.Nodes)
	for _, node := range excluded {
		if _, found := slices.BinarySearch(c.Nodes, node); found {
			n--
		}
	}
	return int32(n)
}

// sameSourceAndTime returns, for every event of a part, the destinations of
// the other events of the same source and time, ascending: TGB's filter of
// false negatives. Events without any have a nil list.
func sameSourceAndTime(part datasets.Stream) [][]int32 {
	type moment struct {
		src  int32
		time uint64
	}
	at := func(k int) moment { return moment{part.Src[k], math.Float64bits(part.Time[k])} }
	together := map[moment][]int32{}
	for k := range part.Len() {
		together[at(k)] = append(together[at(k)], part.Dst[k])
	}
	out := make([][]int32, part.Len())
	for k := range out {
		for _, v := range together[at(k)] {
			if v != part.Dst[k] {
				out[k] = append(out[k], v)
			}
		}
		slices.Sort(out[k])
		out[k] = slices.Compact(out[k])
	}
	return out
}

// negatives are the negative destinations of training: one an event, uniform over
// one of the lists, which is chosen uniformly, with replacement and without
// rejecting true destinations (as PyG's loader and the paper's baselines).
type negatives struct {
	rng   *rand.Rand
	lists [][]int32
	drawn []int32
}

// negativeLists returns the lists of each source.
var negativeLists = map[specs.NegativeSource]func(datasets.Parts) [][]int32{
	specs.TrainDestinations: func(p datasets.Parts) [][]int32 { return [][]int32{p.Train.Destinations()} },
	specs.TrainNodes:        func(p datasets.Parts) [][]int32 { return [][]int32{p.Train.Nodes()} },
	specs.MixedNegatives: func(p datasets.Parts) [][]int32 {
		return [][]int32{p.Train.Destinations(), p.Train.Nodes()}
	},
	specs.LaterDestinations: func(p datasets.Parts) [][]int32 { return [][]int32{p.Whole.Destinations()} },
}

func newNegatives(spec specs.Trial, p datasets.Parts) (*negatives, error) {
	if p.Train.Len() == 0 {
		return nil, errors.New("the training part has no event to draw negatives from")
	}
	return &negatives{
		rng: nn.Rand(spec.Seed, nn.ForNegatives), lists: negativeLists[spec.Protocol.TrainNegatives](p),
		drawn: make([]int32, spec.Protocol.Batch),
	}, nil
}

// draw returns the negatives of a batch. The next call overwrites them.
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
