package harness

import (
	"slices"
	"testing"

	"dgsbench/results/record"
)

// TestProgress: it is the share of all batches, without those of trials that
// have begun again; batches that early stopping saves are done.
func TestProgress(t *testing.T) {
	var shares []float64
	hooks := Hooks{Progress: func(share float64) { shares = append(shares, share) }}
	jobs := []job{{windows: 4}, {windows: 4}}
	w := newWatch(hooks, jobs, Summary{}, map[record.Key]bool{})
	first, second := w.begin(jobs[0]), w.begin(jobs[1])
	first.restart() // nothing is undone
	first.tick()
	first.tick()
	second.tick()
	first.restart()
	for range 3 {
		first.tick()
	}
	first.end(record.Record{}, true)
	second.end(record.Record{}, false)
	want := []float64{1. / 8, 2. / 8, 3. / 8, 1. / 8, 2. / 8, 3. / 8, 4. / 8, 5. / 8, 1}
	if !slices.Equal(shares, want) || w.sum.Left != 0 {
		t.Errorf("progress %v, %d left; expected %v", shares, w.sum.Left, want)
	}
}
