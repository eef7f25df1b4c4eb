package portable_test

import "testing"

func TestGRUCellGrad(t *testing.T) {
	const rows, units = 3, 5
	rng := newRand(1)
	gi, gh, q, w := random(rng, 3*rows*units), random(rng, 3*rows*units), random(rng, rows*units), random(rng, rows*units)
	h, gates := zeros(rows*units), zeros(3*rows*units)
	loss := func() float64 {
		device.GRUCell(rows, units, h, gates, gi, gh, q)
		return weighted(w, h)
	}
	loss()
	dgi, dgh, dq := zeros(len(gi)), zeros(len(gh)), zeros(len(q))
	device.GRUCellGrad(rows, units, dgi, dgh, dq, w, gates, gh, q)
	checkGradient(t, "gi", gi, dgi, loss)
	checkGradient(t, "gh", gh, dgh, loss)
	checkGradient(t, "q", q, dq, loss)
}

// TestGRUCellByHand is a cell of one unit worked out on paper: gates of .5,
// state .4, input contribution 1, hidden contribution .2.
func TestGRUCellByHand(t *testing.T) {
	h, gates := zeros(1), zeros(3)
	device.GRUCell(1, 1, h, gates, numbers{0, 0, 1}, numbers{0, 0, .2}, numbers{.4})
	for name, v := range map[string][2]float64{"r": {gates[0], .5}, "z": {gates[1], .5}, "n": {gates[2], .8005}, "h": {h[0], .6002}} {
		if diff := v[0] - v[1]; diff > 5e-5 || diff < -5e-5 {
			t.Errorf("%s is %v, want %v", name, v[0], v[1])
		}
	}
}
