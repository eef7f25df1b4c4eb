package datasets

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// heldOutShare of all nodes is kept out of training in the inductive
// setting, as in TGN.
const heldOutShare = 0.1

// HeldOut chooses the nodes that the inductive setting keeps out of
// training. The list is ascending.
type HeldOut func(Stream, Split) ([]int32, error)

// SampleHeldOut draws a tenth of all nodes among those with an event after
// the train part (TGN's rule, utils/data_processing.py), with a seed of its
// own that every trial shares.
func SampleHeldOut(seed uint64) HeldOut {
	return func(s Stream, split Split) ([]int32, error) {
		later := s.Slice(split.TrainEnd, s.Len())
		nodes := slices.Concat(later.Src, later.Dst)
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		rng := rand.New(rand.NewPCG(seed, 0))
		rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		nodes = nodes[:min(len(nodes), int(heldOutShare*float64(s.NumNodes)))]
		slices.Sort(nodes)
		return nodes, nil
	}
}

//go:embed testdata/wikipedia_heldout_nodes_seed2020.txt
var wikipediaHeldOut string

// TGNWikipediaHeldOut is the sample that TGN itself draws on wikipedia.csv.
// It depends on the order of a Python set, so it cannot be drawn again from
// the seed. TGN numbers nodes from 1.
func TGNWikipediaHeldOut(s Stream, _ Split) ([]int32, error) {
	var nodes []int32
	for _, line := range strings.Fields(wikipediaHeldOut) {
		id, err := strconv.Atoi(line)
		if err != nil || id < 1 || id > s.NumNodes {
			return nil, fmt.Errorf("held-out node %q is not one of the %d nodes of Wikipedia, numbered from 1", line, s.NumNodes)
		}
		nodes = append(nodes, int32(id-1))
	}
	slices.Sort(nodes)
	return nodes, nil
}
