package devicetest

import (
	"math"
	"testing"

	"dgsbench/kernels"
)

// Repeating is a device that repeats calls, by itself if it can and else one
// by one, and counts how often it was asked to prepare some.
type Repeating struct {
	kernels.Device
	Prepared int
}

var _ kernels.Repeater = (*Repeating)(nil)

// Prepare makes f's calls again.
func (r *Repeating) Prepare(f func()) (again func()) {
	r.Prepared++
	if d, ok := r.Device.(kernels.Repeater); ok {
		return d.Prepare(f)
	}
	return f
}

// Single is a device that repeats nothing.
type Single struct{ kernels.Device }

// checkSeenAgain: what repeated calls look at has its place each time, and
// what is seen behind them has another one.
func checkSeenAgain(t *testing.T, d kernels.Device) {
	r, ok := d.(kernels.Repeater)
	if !ok {
		return // it makes each call by itself
	}
	before, within, behind := d.NewBuffer(1), d.NewBuffer(1), d.NewBuffer(1)
	nan := []float32{float32(math.NaN())}
	d.CheckFinite(1, before)
	again := r.Prepare(func() { d.CheckFinite(1, within) })
	if place := d.CheckFinite(1, behind); place != 1 {
		t.Errorf("%s: place %d behind calls that were only prepared, expected 1", d.Name(), place)
	}
	d.FirstBad(nil, nil)
	for i, bad := range []kernels.Buffer{before, within, behind, nil} {
		want := -1
		if bad != nil {
			d.Write(bad, nan)
			want = i
		}
		d.CheckFinite(1, before)
		again()
		if place := d.CheckFinite(1, behind); place != 2 {
			t.Errorf("%s: place %d behind repeated calls, expected 2", d.Name(), place)
		}
		if got := d.FirstBad(nil, nil); got != want {
			t.Errorf("%s: first bad %d, expected %d", d.Name(), got, want)
		}
		if bad != nil {
			d.Write(bad, []float32{0})
		}
	}
	again = r.Prepare(func() { d.CheckFinite(1, within) })
	d.CheckFinite(1, before)
	if !panics(again) {
		t.Errorf("%s: repeated calls look at buffers in another place than at first", d.Name())
	}
	d.ResetChecks()
}
