package harness

import (
	"math"
	"math/rand/v2"
	"slices"

	"dgsbench/datasets"
	"dgsbench/specs"
)

// candidateSet is a named set of nodes, ascending.
type candidateSet struct {
	name  specs.CandidateSet
	nodes []int32
}

// newCandidateSet builds the set of the given name over the whole stream.
func newCandidateSet(name specs.CandidateSet, s datasets.Stream) candidateSet {
	if name == specs.Destinations {
		return candidateSet{name, s.Destinations()}
	}
	nodes := make([]int32, s.NumNodes)
	for i := range nodes {
		nodes[i] = int32(i)
	}
	return candidateSet{name, nodes}
}

// draw fills out with uniform members, with replacement and without
// rejecting true destinations (as PyG's loader and the paper's baselines).
func (c candidateSet) draw(rng *rand.Rand, out []int32) {
	for i := range out {
		out[i] = c.nodes[rng.IntN(len(c.nodes))]
	}
}

// sample is k distinct members, ascending; all of them if there are no more.
func (c candidateSet) sample(rng *rand.Rand, k int) candidateSet {
	if k == 0 || k >= len(c.nodes) {
		return c
	}
	picked := make([]int32, 0, k)
	for i, left := range rng.Perm(len(c.nodes)) {
		if i == k {
			break
		}
		picked = append(picked, c.nodes[left])
	}
	slices.Sort(picked)
	return candidateSet{c.name, picked}
}

// sameSourceAndTime lists, for every event of a part, the destinations of
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
