package record_test

import (
	"testing"

	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// TestDigests: answers on the test part that differ in a number or in where it
// stands have other digests, and other things have not.
func TestDigests(t *testing.T) {
	all, destinations := record.Part{Split: protocol.Test, Candidates: protocol.AllNodes}, record.Part{Split: protocol.Test, Candidates: protocol.Destinations}
	ranks := func(greater, equal []int32) metrics.Facts { return metrics.Facts{Greater: greater, Equal: equal} }
	scores := func(values ...float32) record.Observed {
		return record.Observed{{Split: protocol.Test}: {Score: values, Label: make([]int8, len(values))}}
	}
	seen := map[[32]byte]int{}
	different := []record.Observed{
		{all: ranks([]int32{1, 3}, []int32{0, 2})},
		{all: ranks([]int32{1, 4}, []int32{0, 2})},
		{all: ranks([]int32{1, 3}, []int32{0, 1})},
		{all: ranks([]int32{3, 1}, []int32{2, 0})},
		{destinations: ranks([]int32{1, 3}, []int32{0, 2})},
		{all: ranks([]int32{1}, []int32{3}), destinations: ranks([]int32{0}, []int32{2})},
		scores(.5, .25), scores(.25, .5), scores(.5), scores(.5, .25, 0),
	}
	for i, o := range different {
		if first, twice := seen[o.TestDigest("")]; twice {
			t.Errorf("answers %d and %d have one digest", first, i)
		}
		seen[o.TestDigest("")] = i
	}
	more := scores(.5, .25)
	more[record.Part{Split: protocol.Validation}] = metrics.Facts{Score: []float32{9}, Label: []int8{1}}
	if more.TestDigest("") != scores(.5, .25).TestDigest("") {
		t.Error("the validation part has a part in it")
	}
}
