package ring

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSeeing: those whose queries show a marked node.
func TestSeeing(t *testing.T) {
	const nodes, size = 9, 3
	rapid.Check(t, func(t *rapid.T) {
		r, s := bare(nodes, size), streams(nodes).Draw(t, "stream")
		r.Insert(s, nil)
		list := rapid.SliceOfNDistinct(rapid.Int32Range(0, nodes-1), 0, 4, func(n int32) int32 { return n }).Draw(t, "marked")
		marked := make([]bool, nodes)
		for _, n := range list {
			marked[n] = true
		}
		var want []int32
		for n := range int32(nodes) {
			near := r.Query([]int32{n}, 1, false).Nodes
			if slices.ContainsFunc(near, func(v int32) bool { return slices.Contains(list, v) }) {
				want = append(want, n)
			}
		}
		got := slices.Clone(r.Spread(marked, list))
		for n, m := range marked {
			if m != slices.Contains(want, int32(n)) {
				t.Errorf("node %d is marked: %t", n, m)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
	})
}
