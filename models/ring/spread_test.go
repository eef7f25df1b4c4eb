package ring

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/models/nodelist"
)

// TestSpread: those whose queries have a listed node.
func TestSpread(t *testing.T) {
	const nodes, size = 9, 3
	rapid.Check(t, func(t *rapid.T) {
		r, s := bare(nodes, size), streams(nodes).Draw(t, "stream")
		r.Insert(s, nil)
		list := rapid.SliceOfNDistinct(rapid.Int32Range(0, nodes-1), 0, 4, func(n int32) int32 { return n }).Draw(t, "listed")
		listed := nodelist.New(nodes)
		listed.Add(list...)
		var want []int32
		for n := range int32(nodes) {
			near := r.Query([]int32{n}, 1, false).Nodes
			if slices.ContainsFunc(near, func(v int32) bool { return slices.Contains(list, v) }) {
				want = append(want, n)
			}
		}
		r.Spread(listed)
		got := slices.Sorted(slices.Values(listed.Nodes))
		if !slices.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
	})
}
