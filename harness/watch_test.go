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
	p := &pool{hooks: hooks, measured: map[record.Key]bool{}}
	p.start([]job{{windows: 4}, {windows: 4}})
	first, second := p.progress(), p.progress()
	first(1)
	first(2)
	second(1)
	first(1) // it has begun again
	first(2)
	first(3)
	first(4)
	p.end(record.Record{}, true)
	second(4)
	p.end(record.Record{}, false)
	want := []float64{1. / 8, 2. / 8, 3. / 8, 2. / 8, 3. / 8, 4. / 8, 5. / 8, 1}
	if !slices.Equal(shares, want) || p.sum.Left != 0 {
		t.Errorf("progress %v, %d left; expected %v", shares, p.sum.Left, want)
	}
}
