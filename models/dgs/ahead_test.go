package dgs

import (
	"slices"
	"testing"

	"dgsbench/models"
	"dgsbench/protocol"
)

// TestAhead: a part that is larger than what is embedded at once has the
// answers of batch after batch, and leaves the same states. Once it has its
// buffers it allocates nothing.
func TestAhead(t *testing.T) {
	const batch = 200
	stream := busy(2*aheadEvents+batch/2, 5)
	build := func(threads int) *Model {
		o := Defaults()
		o.Size, o.Blocks = 8, 4
		m, err := New(models.Setup{
			Task: protocol.NodeClassification, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat, MaxBatch: batch, Train: stream, Threads: threads,
		}, o)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	one, ahead := build(1), build(2)
	want, got := make([]float32, stream.Len()), make([]float32, stream.Len())
	for lo := 0; lo < stream.Len(); lo += batch {
		hi := min(lo+batch, stream.Len())
		if err := one.Classify(stream.Slice(lo, hi), want[lo:hi]); err != nil {
			t.Fatal(err)
		}
	}
	answer := func() {
		if err := ahead.ClassifyAhead(stream, batch, got); err != nil {
			t.Fatal(err)
		}
	}
	answer()
	if !slices.Equal(got, want) {
		t.Error("other answers than batch after batch")
	}
	if !slices.Equal(ahead.Snapshot(models.Everything).State[0].F32, one.Snapshot(models.Everything).State[0].F32) {
		t.Error("other states than batch after batch")
	}
	if n := testing.AllocsPerRun(2, answer); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
