package portable_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/kernels"
)

// A sparse kernel maps blocks to the simplex. Where its result y is above
// zero, argument(z) - root(y) is the same number tau for all of a block;
// elsewhere the argument is not above it. Together with a sum of one that is
// what defines the kernel.
type sparse struct {
	name     string
	forward  func(n, h int, scale float64, dst, x kernels.Buffer)
	backward func(n, h int, scale float64, dx, g, y kernels.Buffer)
	argument func(z float64) float64
	root     func(y float64) float64
}

var sparseKernels = []sparse{
	{
		"sparsemax", device.SparsemaxBlocks, device.SparsemaxBlocksGrad,
		func(z float64) float64 { return z }, func(y float64) float64 { return y },
	},
	{
		"entmax", device.EntmaxBlocks, device.EntmaxBlocksGrad,
		func(z float64) float64 { return z / 2 }, math.Sqrt,
	},
}

// TestSparseBlocks draws blocks with ties and with large spreads, far from
// zero, too.
func TestSparseBlocks(t *testing.T) {
	for _, s := range sparseKernels {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				h, scale := rapid.IntRange(1, 250).Draw(t, "h"), rapid.Float64Range(.1, 3).Draw(t, "scale")
				width, offset := rapid.SampledFrom([]float64{.1, 1, 30, 1e4}).Draw(t, "width"), rapid.SampledFrom([]float64{0, -1e3, 1e6}).Draw(t, "offset")
				x := zeros(h)
				for j := range x {
					x[j] = offset + width*float64(rapid.IntRange(-20, 20).Draw(t, "x"))/20
				}
				y := zeros(h)
				s.forward(h, h, scale, y, x)
				s.check(t, x, y, scale)
			})
		})
	}
}

func (s *sparse) check(t *rapid.T, x, y []float64, scale float64) {
	const tolerance = 1e-9
	top, sum, least, most, outside := x[0], 0., math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	for j, v := range y {
		argument := s.argument(scale * (x[j] - top))
		switch sum += v; {
		case !(v >= 0):
			t.Fatalf("element %d is %v", j, v)
		case v > 0:
			tau := argument - s.root(v)
			least, most = min(least, tau), max(most, tau)
		default:
			outside = max(outside, argument)
		}
	}
	if math.Abs(sum-1) > tolerance || most-least > tolerance || outside > least+tolerance {
		t.Fatalf("sum %v, tau from %v to %v, largest argument without weight %v", sum, least, most, outside)
	}
}

// TestSparseBlocksByHand: sparsemax has tau = (.8 - 1)/2, in the second block
// tau = 3 - 1; entmax has roots of .8 and .6, .2 apart as half the arguments
// are.
func TestSparseBlocksByHand(t *testing.T) {
	for _, c := range []struct {
		sparse
		h       int
		x, want numbers
	}{
		{sparseKernels[0], 3, numbers{.3, -1, .5, 1, 3, 1.5}, numbers{.4, 0, .6, 0, 1, 0}},
		{sparseKernels[1], 2, numbers{0, .4, 3, 1, 7, 7}, numbers{.36, .64, 1, 0, .5, .5}},
	} {
		y := zeros(len(c.x))
		c.forward(len(c.x), c.h, 1, y, c.x)
		for j, want := range c.want {
			if math.Abs(y[j]-want) > 1e-15 {
				t.Errorf("%s of %v: element %d is %v, want %v", c.name, c.x, j, y[j], want)
			}
		}
	}
}

// TestSparseBlocksGrad: the numbers lie off the kinks.
func TestSparseBlocksGrad(t *testing.T) {
	for _, s := range sparseKernels {
		for _, h := range []int{1, 2, 5, 25} {
			rng := newRand(uint64(h))
			n := 4 * h
			x, w, y, dx := random(rng, n), random(rng, n), zeros(n), zeros(n)
			loss := func() float64 {
				s.forward(n, h, .4, y, x)
				return weighted(w, y)
			}
			loss()
			s.backward(n, h, .4, dx, w, y)
			checkGradient(t, "x of "+s.name, x, dx, loss)
		}
	}
}

// TestSparseBlocksPassNaNOn: a block with NaN is NaN, its neighbour is not;
// a minus infinity gets nothing.
func TestSparseBlocksPassNaNOn(t *testing.T) {
	nan := math.NaN()
	x := numbers{1, nan, 2, 1, math.Inf(-1), 1}
	for _, s := range sparseKernels {
		y := zeros(len(x))
		s.forward(len(x), 3, 1, y, x)
		for j, want := range []float64{nan, nan, nan, .5, 0, .5} {
			if math.IsNaN(y[j]) != math.IsNaN(want) || math.Abs(y[j]-want) > 1e-15 {
				t.Errorf("%s: element %d is %v, want %v", s.name, j, y[j], want)
			}
		}
	}
}
