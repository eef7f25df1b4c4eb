package nn

import (
	"slices"
	"strings"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/reference"

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

// denseOfConcat is a layer on columns side by side, one matrix of which is
// there twice and one of which needs no gradient.
func denseOfConcat(b *opBench) (*G.Node, []func()) {
	rows := NewRows(5)
	left, middle, right := b.leaf("left", rows, 3), b.input("middle", rows, 4), b.input("right", rows, 2)
	out := Dense(Concat(left, middle, right, middle), b.param("w", 13, 6), b.param("b", 6), false)
	return out, []func(){func() { rows.Set(5) }, func() { rows.Set(2) }, func() { rows.Set(0) }}
}

func TestDenseOfConcat(t *testing.T) { checkOp(t, denseOfConcat) }

// TestGradientColumnsThatAreAskedFor: a program does not compute those of other
// columns.
func TestGradientColumnsThatAreAskedFor(t *testing.T) {
	b := newOpBench(t, reference.New(), denseOfConcat)
	c := &compiler{graph: b.graph, steps: map[int64]*step{}}
	var got []string
	for _, s := range c.needed(b.grads) {
		if o, ok := s.Op().(*op); ok && strings.HasPrefix(o.name, "dense.gradx") {
			got = append(got, o.name)
		}
	}
	slices.Sort(got)
	if want := []string{"dense.gradx from 3", "dense.gradx from 7", "dense.gradx from 9"}; !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}
