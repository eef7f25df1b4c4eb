package harness

import (
	"math"
	"math/rand/v2"
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// candidateSet is a named set of nodes, ascending.
type candidateSet struct {
	name  protocol.CandidateSet
	nodes []int32
}

// newCandidateSet builds the set of the given name over the whole stream.
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

// checksum tells whether a model wrote to the nodes.
func (c candidateSet) checksum() (sum uint64) {
	for _, node := range c.nodes {
		sum = sum*1099511628211 + uint64(node) + 1
	}
	return sum
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

// numNegatives is how many candidates event k of a batch is ranked against,
// beside its true destination.
func numNegatives(c models.Candidates, k int, dst int32) int32 {
	n := len(c.Nodes)
	leave := func(node int32) {
		if _, found := slices.BinarySearch(c.Nodes, node); found {
			n--
		}
	}
	leave(dst)
	if c.Without != nil {
		for _, node := range c.Without[k] { // dst is not among them
			leave(node)
		}
	}
	return int32(n)
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
