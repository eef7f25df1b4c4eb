package datasets

import (
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Split cuts a stream in time: events before TrainEnd are the train part,
// those from ValEnd on the test part, the ones between for validation.
type Split struct {
	TrainEnd, ValEnd int
}

// PartNames are the names of the parts, in the order of Parts.
var PartNames = [...]string{"train", "validation", "test"}

// Parts returns the train, the validation and the test part of a stream.
func (s Split) Parts(whole Stream) [3]Stream {
	return [3]Stream{whole.Slice(0, s.TrainEnd), whole.Slice(s.TrainEnd, s.ValEnd), whole.Slice(s.ValEnd, whole.Len())}
}

// SplitRule says where the train and the validation part end: at shares of the
// events.
type SplitRule struct {
	Train float64 `yaml:"train"`
	Val   float64 `yaml:"val"`
	By    string  `yaml:"by"` // "time" or "row"
}

// ByTime ends the parts at quantiles of the events' times, as TGN and PyG do
// (0.70 and 0.85): a part holds the events up to and including the quantile,
// which is interpolated linearly like numpy's.
func ByTime(train, val float64) SplitRule { return SplitRule{train, val, "time"} }

// ByRow ends the parts at shares of the number of events, rounded down.
func ByRow(train, val float64) SplitRule { return SplitRule{train, val, "row"} }

// Check returns an error unless 0 < Train < Val < 1 and By is known.
func (r SplitRule) Check() error {
	if !(0 < r.Train && r.Train < r.Val && r.Val < 1) {
		return fmt.Errorf("a split at %v and %v, expected two shares of the events between 0 and 1, the smaller first, such as 0.7 and 0.85", r.Train, r.Val)
	}
	if r.By != "time" && r.By != "row" {
		return fmt.Errorf("a split by %q, expected time or row", r.By)
	}
	return nil
}

// Split applies the rule.
func (r SplitRule) Split(s Stream) Split {
	end := func(share float64) int {
		if r.By == "time" {
			limit := Quantile(s.Time, share)
			return sort.Search(s.Len(), func(k int) bool { return s.Time[k] > limit })
		}
		return int(share * float64(s.Len()))
	}
	return Split{TrainEnd: end(r.Train), ValEnd: end(r.Val)}
}

// String returns the rule in words, e.g. "70/15/15 by time".
func (r SplitRule) String() string {
	a, b := math.Round(100*r.Train), math.Round(100*r.Val)
	return fmt.Sprintf("%.0f/%.0f/%.0f by %s", a, b-a, 100-b, r.By)
}

// Quantile is numpy.quantile of ascending values, with its default linear
// interpolation (and its rounding: from the nearer end). It is NaN without
// values.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	part := at - float64(lo)
	a, b := sorted[lo], sorted[hi]
	if part < 0.5 {
		return a + (b-a)*part
	}
	return b - (b-a)*(1-part)
}

// heldOutShare of all nodes is excluded from training in the inductive
// setting, as in TGN.
const heldOutShare = 0.1

// HeldOut returns the nodes that the inductive setting excludes from training,
// ascending.
type HeldOut func(Stream, Split) ([]int32, error)

// SampleHeldOut draws a tenth of all nodes among those with an event after
// the train part (TGN's rule, utils/data_processing.py), with a seed of its
// own that every trial shares.
func SampleHeldOut(seed uint64) HeldOut {
	return func(s Stream, split Split) ([]int32, error) {
		nodes := s.Slice(split.TrainEnd, s.Len()).Nodes()
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
