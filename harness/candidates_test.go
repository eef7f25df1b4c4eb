package harness

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dgsbench/datasets"
	"dgsbench/protocol"

	"github.com/google/go-cmp/cmp"
)

// stream makes events of the form {source, destination, time}.
func stream(nodes int, events ...[3]int) datasets.Stream {
	s := datasets.Stream{NumNodes: nodes}
	for _, e := range events {
		s.Src, s.Dst = append(s.Src, int32(e[0])), append(s.Dst, int32(e[1]))
		s.Time, s.Label = append(s.Time, float64(e[2])), append(s.Label, 0)
	}
	return s
}

func TestCandidateSets(t *testing.T) {
	s := stream(6, [3]int{0, 4, 0}, [3]int{1, 5, 1}, [3]int{2, 4, 2})
	for name, want := range map[protocol.CandidateSet][]int32{
		protocol.AllNodes:     {0, 1, 2, 3, 4, 5},
		protocol.Destinations: {4, 5},
	} {
		if diff := cmp.Diff(want, newCandidateSet(name, s).nodes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSampleIsDistinctAndSorted(t *testing.T) {
	all := newCandidateSet(protocol.AllNodes, stream(50))
	for _, k := range []int{0, 1, 20, 50, 60} {
		got := all.sample(rand.New(rand.NewPCG(1, 1)), k).nodes
		want := min(k, 50)
		if k == 0 {
			want = 50
		}
		if len(got) != want || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != want {
			t.Errorf("sample of %d: %v", k, got)
		}
	}
}

func TestSameSourceAndTime(t *testing.T) {
	s := stream(9, [3]int{0, 4, 0}, [3]int{0, 5, 1}, [3]int{0, 4, 1}, [3]int{1, 6, 1}, [3]int{0, 5, 1})
	want := [][]int32{nil, {4}, {5}, nil, {4}}
	if diff := cmp.Diff(want, sameSourceAndTime(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWindowsRestartAndKeepTheShortOne(t *testing.T) {
	s := stream(2, [3]int{0, 1, 0}, [3]int{0, 1, 1}, [3]int{0, 1, 2}, [3]int{0, 1, 3}, [3]int{0, 1, 4})
	var first, size []int
	for k := range numWindows(s.Slice(1, 5), 3) {
		w := window(s.Slice(1, 5), 3, k)
		first, size = append(first, w.EventID(0)), append(size, w.Len())
	}
	if !slices.Equal(first, []int{1, 4}) || !slices.Equal(size, []int{3, 1}) {
		t.Errorf("windows start at %v with sizes %v", first, size)
	}
}
