package datasets

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tinyStream: 0>2, 1>3, 0>3 (positive), 1>2, 1>3, 0>4 (positive); cut 4/1/1
// with item 2 held out.
func TestDescribeByHand(t *testing.T) {
	got, err := tinyLoaded().Describe()
	if err != nil {
		t.Fatal(err)
	}
	want := Stats{
		Counts: Counts{Events: 6, Nodes: 5, Users: 2, Items: 3, Positives: 2, Features: 2},
		Span:   9, Distinct: 5, EqualTimes: 1, Destinations: 3,
		RepeatPairs: 1.0 / 6, SameAgain: 0, LastPositives: 1,
		Batches:   BatchStats{Stale: 4.0 / 6, Surviving: 5.0 / 12, Nodes: 5, RepeatedPositives: 2},
		Parts:     [3]PartStats{{4, 1}, {1, 0}, {1, 1}},
		Inductive: InductiveStats{HeldOut: 1, NewNodes: 2, Train: 2, Val: 0, Test: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestConstantFeatures: those with one value at every event, whatever it is.
func TestConstantFeatures(t *testing.T) {
	s := Stream{
		Src: []int32{0, 0, 1}, Dst: []int32{1, 2, 2}, Time: []float64{0, 1, 2}, Label: make([]int8, 3), NumNodes: 3,
		NumFeat: 4, Feat: []float32{0, 7, 1, 5, 0, 7, 2, 5, 0, 7, 1, 4},
	}
	got, err := (&Loaded{Stream: s, Split: Split{2, 2}, Dataset: Dataset{HeldOut: SampleHeldOut(1)}}).Describe()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1}, got.Constant); diff != "" {
		t.Error(diff)
	}
}

func TestDescribeLoopsAndTies(t *testing.T) {
	s := Stream{
		Src: []int32{0, 0, 0, 1, 1}, Dst: []int32{0, 1, 2, 2, 2}, Time: []float64{0, 0, 0, 0, 3},
		Label: make([]int8, 5), NumNodes: 3,
	}
	l := &Loaded{Stream: s, Split: Split{5, 5}, Dataset: Dataset{HeldOut: SampleHeldOut(1)}}
	got, err := l.Describe()
	if err != nil {
		t.Fatal(err)
	}
	// One write for the loop, two for each of the others; three nodes.
	if got.SelfLoops != 1 || got.SplitTies != 1 || got.EqualTimes != 3 || got.SameAgain != 1.0/3 || got.Batches.Surviving != 3.0/9 {
		t.Errorf("%+v", got)
	}
}

// TestDescribeDirections: the way back is another pair, and a destination that
// is in the batch makes an event stale as a source does.
func TestDescribeDirections(t *testing.T) {
	s := Stream{
		Src: []int32{0, 1, 0, 2}, Dst: []int32{1, 0, 1, 1}, Time: []float64{0, 1, 2, 3}, Label: make([]int8, 4), NumNodes: 3,
	}
	got, err := (&Loaded{Stream: s, Split: Split{4, 4}, Dataset: Dataset{HeldOut: SampleHeldOut(1)}}).Describe()
	if err != nil {
		t.Fatal(err)
	}
	if got.RepeatPairs != 1.0/4 || got.Batches.Stale != 3.0/4 {
		t.Errorf("%v of the pairs repeat and %v of the events are stale, expected 1/4 and 3/4", got.RepeatPairs, got.Batches.Stale)
	}
}
