package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/kernels/reference"
)

// eachJacobians runs the case at every level, with one thread and with three,
// on float32 and on bfloat16.
func eachJacobians(c *devicetest.JacobianCase, f func(name string, k cpu.Kernels, half bool, got []float32)) {
	for _, k := range cpu.Available() {
		for _, threads := range []int{1, 3} {
			for _, half := range []bool{false, true} {
				name := fmt.Sprintf("%s, %d threads, half %v", k.Level(), threads, half)
				f(name, k, half, c.Run(cpu.NewDevice(k, threads), half))
			}
		}
	}
}

// fataler is a test, rapid's or not.
type fataler interface {
	Helper()
	Fatalf(format string, arguments ...any)
}

func checkExact(t fataler, c *devicetest.JacobianCase) {
	t.Helper()
	want := c.Run(reference.New(), false)
	eachJacobians(c, func(name string, _ cpu.Kernels, _ bool, got []float32) {
		if !sameNumbers(got, want) {
			t.Fatalf("%s: %s", name, cmp.Diff(want, got))
		}
	})
}

// small is -1, 0 or 1. In four steps a Jacobian of such numbers stays below
// 16, so that even bfloat16 holds it.
func small(rng *rand.Rand) float32 { return float32(rng.IntN(3) - 1) }

func TestJacobiansOfWholeNumbersAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawJacobianCase(t, small)
		checkExact(t, &c)
	})
}

// Sizes that are cut into blocks in every way, most of them large enough for
// several threads.
func TestLargeJacobiansAreExact(t *testing.T) {
	for _, size := range []struct{ lanes, features, states int }{
		{100, 172, 150},  // a group's features in several blocks
		{1000, 7, 100},   // several groups in a block
		{304, 7, 4},      // one more than fit
		{60, 300, 5},     // the largest blocks
		{23, 3, 20_000},  // single rows, and more copies than fit in the cache
		{2500, 1, 60},    // many groups of a row
		{4, 5000, 10},    // no group of sixteen
		{15_000, 2, 100}, // hardly any features, many lanes
	} {
		rng := newRand(5)
		c := devicetest.NewJacobianCase(rng, size.lanes, size.features, size.states, 3, func() float32 { return small(rng) })
		checkExact(t, &c)
	}
}

// The numbers are in [-1/2, 1/2): Jacobians stay below 2, gradients below
// 45 lanes x 12 states. Roundings add up to far less than the tolerance. The
// bits are the same for all numbers of threads and at every level but the
// portable one.
func TestJacobians(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawJacobianCase(t, func(rng *rand.Rand) float32 { return rng.Float32() - .5 })
		want := c.Run(reference.New(), false)
		bits := map[string][]float32{}
		eachJacobians(&c, func(name string, k cpu.Kernels, half bool, got []float32) {
			for i, v := range got {
				if !half && !(math.Abs(float64(v-want[i])) <= 1e-5) {
					t.Fatalf("%s: number %d is %v, want %v", name, i, v, want[i])
				}
			}
			kind := fmt.Sprint(half, k.Level() == cpu.Portable)
			if bits[kind] == nil {
				bits[kind] = got
			}
			if !sameNumbers(got, bits[kind]) {
				t.Fatalf("%s: other bits: %s", name, cmp.Diff(bits[kind], got))
			}
		})
	})
}

// NaN, infinities and denormals come out as in portable Go. The others are
// whole, so that no result depends on rounding.
func TestJacobiansOfSpecialValues(t *testing.T) {
	inf := float32(math.Inf(1))
	special := []float32{float32(math.NaN()), inf, -inf, math.SmallestNonzeroFloat32, -0x1p-130}
	rapid.Check(t, func(t *rapid.T) {
		c := drawJacobianCase(t, func(rng *rand.Rand) float32 {
			if rng.IntN(20) == 0 {
				return special[rng.IntN(len(special))]
			}
			return small(rng)
		})
		want := map[bool][]float32{}
		eachJacobians(&c, func(name string, _ cpu.Kernels, half bool, got []float32) {
			if want[half] == nil {
				want[half] = got
			}
			if !sameNumbers(got, want[half]) {
				t.Fatalf("%s: %s", name, cmp.Diff(want[half], got))
			}
		})
	})
}
