package record_test

import (
	"testing"

	"dgsbench/results/record"
)

// TestDigestsTellCountsApart: ranks with other ties are other answers.
func TestDigestsTellCountsApart(t *testing.T) {
	digest := func(greater, equal int32) [32]byte {
		return record.Observed{
			{Split: record.Test, Candidates: record.AllNodes}: {Greater: []int32{1, greater}, Equal: []int32{0, equal}},
		}.TestDigest()
	}
	seen := map[[32]byte]bool{digest(3, 0): true, digest(3, 1): true, digest(4, 0): true}
	if len(seen) != 3 || !seen[digest(3, 1)] {
		t.Errorf("%d digests of three answers", len(seen))
	}
}
