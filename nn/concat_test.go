package nn

import (
	"slices"
	"testing"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// concatTest has one matrix twice: its gradient is the sum of both parts.
func concatTest(b *opBench) (*G.Node, []func()) {
	rows := NewRows(5)
	left, right := b.input("left", rows, 3), b.input("right", rows, 17)
	out := Concat(left, right, left)
	return out, []func(){func() { rows.Set(5) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
}

func TestConcat(t *testing.T) { checkOp(t, concatTest) }

func TestConcatenatedColumns(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		left, right := drawn("left", 15), drawn("right", 85)
		var want []float32
		for i := range 5 {
			row := left[3*i : 3*i+3]
			want = append(want, slices.Concat(row, right[17*i:17*i+17], row)...)
		}
		if got := newOpBench(t, d, concatTest).results(0)[0]; !slices.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
	})
}
