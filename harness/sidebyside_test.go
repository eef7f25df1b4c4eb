package harness

import "testing"

func TestSideBySide(t *testing.T) {
	const much = 1000
	for _, c := range []struct {
		workers int
		room    int64
		loads   []Cost
		want    Cost
	}{
		{2, much, nil, Cost{}},
		{1, much, []Cost{{1, 10, 3}, {2, 30, 1}, {3, 20, 2}}, Cost{6, 30, 3}},
		{2, much, []Cost{{3, 10, 1}, {1, 20, 2}, {1, 50, 5}, {1, 5, 1}}, Cost{3, 60, 6}},
		{2, much, []Cost{{1, 10, 0}, {5, 20, 0}, {1, 30, 0}}, Cost{5, 50, 0}},
		{4, much, []Cost{{1, 1, 0}, {2, 2, 0}}, Cost{2, 3, 0}},
		{4, 25, []Cost{{1, 10, 1}, {2, 10, 1}, {1, 10, 1}, {1, 10, 1}}, Cost{3, 20, 2}}, // there is room for two
		{4, 25, []Cost{{1, 10, 1}, {2, 99, 1}, {1, 10, 1}}, Cost{4, 99, 1}},             // alone
	} {
		if got := SideBySide(c.loads, c.workers, c.room); got != c.want {
			t.Errorf("%v with %d workers and room for %d: %v, expected %v", c.loads, c.workers, c.room, got, c.want)
		}
	}
}
