package lists_test

import (
	"fmt"
	"slices"
	"testing"

	"dgsbench/internal/lists"

	"github.com/google/go-cmp/cmp"
)

func parity(x int) int { return x % 2 }

// TestLists: order is kept, and of an empty list there is nothing.
func TestLists(t *testing.T) {
	for _, c := range []struct {
		list, parities []int
		groups         [][]int
		odd            int
		found          bool
	}{
		{nil, nil, nil, 0, false},
		{[]int{4, 2}, []int{0, 0}, [][]int{{4, 2}}, 0, false},
		{[]int{4, 7, 2, 3}, []int{0, 1, 0, 1}, [][]int{{4, 2}, {7, 3}}, 7, true},
	} {
		odd, found := lists.Find(c.list, func(x int) bool { return parity(x) == 1 })
		if odd != c.odd || found != c.found {
			t.Errorf("Find(%v): %d, %v", c.list, odd, found)
		}
		if diff := cmp.Diff(c.parities, lists.Map(c.list, parity)); diff != "" {
			t.Errorf("Map(%v) (-want +got):\n%s", c.list, diff)
		}
		if diff := cmp.Diff(c.groups, lists.GroupBy(c.list, parity)); diff != "" {
			t.Errorf("GroupBy(%v) (-want +got):\n%s", c.list, diff)
		}
	}
}

func TestParallel(t *testing.T) {
	done := make([]bool, 100)
	err := lists.Parallel(len(done), func(i int) error {
		done[i] = true
		if i%7 == 6 {
			return fmt.Errorf("%d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "6" || slices.Contains(done, false) {
		t.Errorf("error %v, done %v; expected error 6, all done", err, done)
	}
	if err := lists.Parallel(3, func(int) error { return nil }); err != nil {
		t.Error(err)
	}
	defer func() {
		if value := recover(); value != 1 {
			t.Errorf("panic %v, expected 1", value)
		}
	}()
	lists.Parallel(3, func(i int) error {
		if i > 0 {
			panic(i)
		}
		return nil
	})
}
