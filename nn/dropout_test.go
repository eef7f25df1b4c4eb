package nn

import (
	"math"
	"testing"

	"dgsbench/kernels/cpu"
)

// TestDropoutMasks: the dropped share is right, what is kept is scaled up,
// and two layers of one size have masks of their own.
func TestDropoutMasks(t *testing.T) {
	const width, rows, p = 50, 100, .3
	q := newProblem(t, cpu.NewDevice(cpu.Best(), 2), MLPConfig{In: 2, Hidden: []int{width, width}, Dropout: p, MaxRows: rows}, rows)
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
