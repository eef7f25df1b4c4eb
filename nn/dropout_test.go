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
	equal, first := 0, valuesOf(q.mlp.Network, 0)
	for i := range q.mlp.masks {
		zero := 0
		for j, v := range valuesOf(q.mlp.Network, i) {
			switch v {
			case 0:
				zero++
			case float32(1 / (1 - p)):
			default:
				t.Fatalf("mask %d[%d] is %v", i, j, v)
			}
			if i == 1 && v == first[j] {
				equal++
			}
		}
		if share := float64(zero) / (width * rows); math.Abs(share-p) > .03 {
			t.Errorf("mask %d drops %.3f, expected %v", i, share, p)
		}
	}
	if equal == width*rows {
		t.Error("both layers have the same mask")
	}
}

// valuesOf are the active units of the mask with number i.
func valuesOf(n *Network, i int) []float32 {
	m := n.masks[i]
	var out []float32
	for _, part := range m.parts {
		values := make([]float32, part.Len())
		n.device.Read(values, part)
		out = append(out, values...)
	}
	return out[:m.rows.active*m.cols]
}

// TestMasksHaveTheirStream: masks are drawn from a stream of their own, so that
// they depend on no initial values, and of active rows alone.
func TestMasksHaveTheirStream(t *testing.T) {
	const seed, width, share = 7, 8, .5
	for _, rows := range []int{5, 2*maskPart/width - 1, 2 * maskPart / width} {
		n, active := NewNetwork(cpu.NewDevice(cpu.Best(), 1), seed), NewRows(3*maskPart/width)
		n.Uniform(100, 1)
		n.Mask("first", active, width, share)
		n.Mask("second", active, width, share)
		active.Set(rows)
		n.drawMasks()
		want := make([]float32, 2*rows*width)
		DrawMask(want, share, source(seed, ForDropout))
		if got := slices.Concat(valuesOf(n, 0), valuesOf(n, 1)); !slices.Equal(got, want) {
			t.Errorf("%d rows: other masks than the draws", rows)
		}
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
