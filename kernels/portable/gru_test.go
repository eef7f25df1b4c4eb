package portable_test

import "testing"

func TestGRUCellGrad(t *testing.T) {
	const rows, units = 3, 5
	rng := newRand(1)
	gi, gh, q, w := random(rng, 3*rows*units), random(rng, 3*rows*units), random(rng, rows*units), random(rng, rows*units)
	h, gates := make([]float64, rows*units), make([]float64, 3*rows*units)
	loss := func() float64 {
		goKernels.GRUCell(h, gates, gi, gh, q, units)
		return weighted(w, h)
	}
	loss()
	dgi, dgh, dq := make([]float64, len(gi)), make([]float64, len(gh)), make([]float64, len(q))
	goKernels.GRUCellGrad(dgi, dgh, dq, w, gates, gh, q, units)
	checkGradient(t, "gi", gi, dgi, loss)
	checkGradient(t, "gh", gh, dgh, loss)
	checkGradient(t, "q", q, dq, loss)
}

// TestGRUCellByHand is a cell of one unit worked out on paper: gates of .5,
// state .4, input contribution 1, hidden contribution .2.
func TestGRUCellByHand(t *testing.T) {
	h, gates := make([]float64, 1), make([]float64, 3)
	goKernels.GRUCell(h, gates, []float64{0, 0, 1}, []float64{0, 0, .2}, []float64{.4}, 1)
	for name, v := range map[string][2]float64{"r": {gates[0], .5}, "z": {gates[1], .5}, "n": {gates[2], .8005}, "h": {h[0], .6002}} {
		if diff := v[0] - v[1]; diff > 5e-5 || diff < -5e-5 {
			t.Errorf("%s is %v, want %v", name, v[0], v[1])
		}
	}
}
