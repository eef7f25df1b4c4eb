package devicetest

import (
	"math"
	"slices"
	"testing"

	"dgsbench/kernels"
)

// checkMemory: buffers start as zeros, views share memory, and what was
// written does not change with the slice that it came from.
func checkMemory(t *testing.T, d kernels.Device) {
	const large = 700_001 // more than a device moves at once
	host := make([]float32, large)
	for i := range host {
		host[i] = float32(i)
	}
	b := d.NewBuffer(large + 3)
	view := d.View(b, 2, large)
	d.Write(view, host)
	want := slices.Concat([]float32{0, 0}, host, []float32{0})
	clear(host[:2000])
	got := make([]float32, large+3)
	d.Read(got, b)
	if !slices.Equal(got, want) {
		t.Errorf("%s: a window that was written is not what was written to it", d.Name())
	}
	if view.Len() != large || b.Len() != large+3 || d.NewInts(5).Len() != 5 {
		t.Errorf("%s: wrong lengths", d.Name())
	}
	list, second := d.NewInts(6), make([]float32, 1)
	d.WriteInts(d.ViewInts(list, 4, 2), []int32{1, 2})
	d.GatherRows(1, 3, 1, d.View(b, 0, 1), d.View(b, 2, 3), d.ViewInts(list, 5, 1))
	if d.Read(second, b); second[0] != want[4] {
		t.Errorf("%s: row 2 is %v by a window of a list, expected %v", d.Name(), second[0], want[4])
	}
	for range 400 { // rewritten while the device may still work on the last one
		d.Write(view, host[:9000])
		d.Add(1, view, view, d.View(b, 1000, 1))
	}
	some := make([]float32, 3)
	d.Read(some, view)
	if !slices.Equal(some, host[:3]) {
		t.Errorf("%s: writing again and again ends with %v", d.Name(), some)
	}
	d.Write(b, []float32{1, 2, 3, 4})
	d.Write(d.View(b, 1, 2), []float32{5, 6}) // while the one before may be on its way
	if d.Read(some, b); !slices.Equal(some, []float32{1, 5, 6}) {
		t.Errorf("%s: of two writes to one place, the last one should stay: %v", d.Name(), some)
	}
}

func checkFinite(t *testing.T, d kernels.Device) {
	for _, n := range []int{0, 1, 33, 1000} {
		for _, bad := range []float32{0, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32} {
			host := make([]float32, n+1)
			host[n] = float32(math.NaN()) // beyond the end
			if n > 0 {
				host[n-1] = bad
			}
			b := d.NewBuffer(n + 1)
			d.Write(b, host)
			if got, want := d.IsFinite(n, b), n == 0 || bad-bad == 0; got != want {
				t.Errorf("%s: of %d numbers with %v at the end, Finite is %t", d.Name(), n, bad, got)
			}
		}
	}
}
