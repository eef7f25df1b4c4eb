package nn

import (
	"math"
	"slices"
	"testing"

	"dgsbench/kernels/cpu"
)

// TestDropoutMasks: the dropped share is right, what is kept is scaled up,
// and two layers of one size have masks of their own.
func TestDropoutMasks(t *testing.T) {
	const width, rows, p = 50, 100, .3
	q := newProblem(t, cpu.NewDevice(cpu.Best(), 2), 2, rows, MLPConfig{Hidden: []int{width, width}, Dropout: p}, rows)
	q.gradient()
	equal := 0
	for i, mask := range q.mlp.masks {
		zero := 0
		for j, v := range mask.drawn {
			switch v {
			case 0:
				zero++
			case float32(1 / (1 - p)):
			default:
				t.Fatalf("mask %d[%d] is %v", i, j, v)
			}
			if q.mlp.masks[0].drawn[j] == q.mlp.masks[1].drawn[j] {
				equal++
			}
		}
		if share := float64(zero) / (width * rows); math.Abs(share-p) > .03 {
			t.Errorf("mask %d drops %.3f, expected %v", i, share, p)
		}
	}
	if equal == 2*width*rows {
		t.Error("both layers have the same mask")
	}
}

// TestMasksHaveTheirStream: masks are drawn from a stream of their own, so that
// they depend on no initial values.
func TestMasksHaveTheirStream(t *testing.T) {
	const seed, rows, width, share = 7, 5, 8, .5
	n, active := NewNetwork(cpu.NewDevice(cpu.Best(), 1), seed), NewRows(rows)
	n.Uniform(100, 1)
	n.Mask("mask", active, width, share)
	active.Set(rows)
	n.drawMasks()
	want := make([]float32, rows*width)
	DrawMask(want, share, source(seed, ForDropout))
	if got := n.masks[0].drawn; !slices.Equal(got, want) {
		t.Errorf("the first mask is %v, expected %v", got, want)
	}
}

// TestMasksAreDraws: a unit is dropped where Float64 of its draw is below p.
func TestMasksAreDraws(t *testing.T) {
	for _, p := range []float64{5e-324, 0x1p-53, 3 * 0x1p-53, .3, 1 - 0x1p-53} {
		draws, same := source(7, ForDropout), Rand(7, ForDropout)
		mask := make([]float32, 1000)
		DrawMask(mask, p, draws)
		for i, v := range mask {
			if dropped := same.Float64() < p; dropped != (v == 0) {
				t.Fatalf("p %v: mask[%d] is %v, dropped %v", p, i, v, dropped)
			}
		}
		if draws.Uint64() != same.Uint64() {
			t.Errorf("p %v: other draws follow", p)
		}
	}
	draws, mask := source(7, ForDropout), []float32{2, 2}
	if DrawMask(mask, 0, draws); mask[0] != 1 || draws.Uint64() != source(7, ForDropout).Uint64() {
		t.Errorf("p 0: mask %v, or a draw was taken", mask)
	}
}
