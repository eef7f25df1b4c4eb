package halves

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRows: every node has one of its two rows, whatever is turned how often.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 9).Draw(t, "nodes")
		turned := rapid.SliceOf(rapid.Int32Range(0, int32(nodes-1))).Draw(t, "turned")
		r := New(nodes)
		odd := make([]bool, nodes)
		for _, n := range turned {
			free := r.Free(n)
			r.Swap(n)
			if odd[n] = !odd[n]; r.Of(n) != free {
				t.Fatalf("node %d has row %d, expected %d", n, r.Of(n), free)
			}
		}
		var want, second, all []int32
		for n, o := range odd {
			row := int32(n)
			if o {
				second, row = append(second, row), row+int32(nodes)
			}
			all, want = append(all, int32(n)), append(want, row)
		}
		if got := r.Append(nil, all); !slices.Equal(got, want) {
			t.Errorf("rows %v, expected %v", got, want)
		}
		if got := slices.Collect(r.Second()); !slices.Equal(got, second) {
			t.Errorf("%v are in the second half, expected %v", got, second)
		}
		r.Reset()
		if got := r.Append(nil, all); !slices.Equal(got, all) {
			t.Errorf("rows %v after a reset", got)
		}
	})
}

// TestOneHalf: the zero value is for a table that has one row a node.
func TestOneHalf(t *testing.T) {
	var r Rows
	r.Reset()
	if r.Of(7) != 7 || len(slices.Collect(r.Second())) > 0 {
		t.Error("a node is in the second half of one")
	}
}
