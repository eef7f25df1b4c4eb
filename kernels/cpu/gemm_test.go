package cpu_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/kernels/cpu"
)

// Each of the k+1 roundings of a sum loses at most 2^-24 of what was summed;
// portable Go may also round the k products. Elements between the rows of C
// stay as they were.
func TestGemmMatchesFloat64(t *testing.T) {
	rng := newRand(1)
	for _, c := range gemmCases() {
		g := c.build(func() float32 { return float32(rng.NormFloat64()) })
		for _, k := range cpu.Available() {
			got := multiply(k, g)
			for at, v := range got {
				i, j := at/g.LDC, at%g.LDC
				if j >= g.N {
					if v != g.C[at] {
						t.Fatalf("%s %s: touched element %d behind row %d", k.Level(), c, j, i)
					}
					continue
				}
				want, size := element(g, i, j)
				if tolerance := float64(2*g.K+2) * 0x1p-24 * size; !(math.Abs(float64(v)-want) <= tolerance) {
					t.Fatalf("%s %s: C[%d,%d] = %v, want %v within %v", k.Level(), c, i, j, v, want, tolerance)
				}
			}
		}
	}
}

// The bits are the same at every level but the portable one, and on small
// whole numbers, whose sums are exact, there too.
func TestGemmBitsAreEqual(t *testing.T) {
	rng := newRand(2)
	draws := map[string]func() float32{
		"normal": func() float32 { return float32(rng.NormFloat64()) },
		"whole":  func() float32 { return float32(rng.IntN(17) - 8) },
	}
	for name, draw := range draws {
		for _, c := range gemmCases() {
			g := c.build(draw)
			var want []float32
			for _, k := range cpu.Available() {
				if name == "normal" && k.Level() == cpu.Portable {
					continue
				}
				got := multiply(k, g)
				if want == nil {
					want = got
				}
				if !sameNumbers(got, want) {
					t.Fatalf("%s %s %s: %s", name, k.Level(), c, cmp.Diff(want, got))
				}
			}
		}
	}
}

// sameNumbers is equality of bits, but for the sign of zero and the payload
// of NaN.
func sameNumbers(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] && (a[i] == a[i] || b[i] == b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// NaN, infinities and denormals come out as in portable Go. The others are 1,
// 0 and -1, so that no result depends on rounding.
func TestGemmSpecialValues(t *testing.T) {
	inf := float32(math.Inf(1))
	special := []float32{float32(math.NaN()), inf, -inf, math.SmallestNonzeroFloat32, -0x1p-130, float32(math.Copysign(0, -1))}
	rng := newRand(3)
	for _, c := range gemmCases() {
		if c.k > 40 {
			continue
		}
		g := c.build(func() float32 {
			if rng.IntN(40) == 0 {
				return special[rng.IntN(len(special))]
			}
			return float32(rng.IntN(3) - 1)
		})
		want := multiply(cpu.Available()[0], g)
		for _, k := range cpu.Available()[1:] {
			if got := multiply(k, g); !sameNumbers(got, want) {
				t.Fatalf("%s %s: %s", k.Level(), c, cmp.Diff(want, got))
			}
		}
	}
}

// A product divided into rows, down to single ones, which have kernels of
// their own.
func TestGemmRowsGiveTheSameBits(t *testing.T) {
	rng := newRand(4)
	for _, c := range gemmCases() {
		g := c.build(func() float32 { return float32(rng.NormFloat64()) })
		for _, k := range cpu.Available() {
			want := multiply(k, g)
			scratch := make([]float32, cpu.GemmScratch)
			for _, parts := range []int{3, g.M} {
				divided := g
				divided.C = append([]float32(nil), g.C...)
				for part := range parts {
					k.Gemm(divided.Rows(cpu.Split(g.M, parts, part)), scratch)
				}
				if !sameNumbers(divided.C, want) {
					t.Fatalf("%s %s in %d parts: %s", k.Level(), c, parts, cmp.Diff(want, divided.C))
				}
			}
		}
	}
}

func TestGemmDoesNotAllocate(t *testing.T) {
	scratch := make([]float32, cpu.GemmScratch)
	for _, k := range cpu.Available() {
		for _, form := range []string{"NN", "NT", "TN"} {
			g := product(20, 35, 33, form)
			if n := testing.AllocsPerRun(10, func() { k.Gemm(g, scratch) }); n != 0 {
				t.Errorf("%s %s: %v allocations", k.Level(), form, n)
			}
		}
	}
}

func TestGemmRefusesWrongSizes(t *testing.T) {
	cases := map[string]func(g *cpu.Gemm){
		"negative size":       func(g *cpu.Gemm) { g.M = -1 },
		"short A":             func(g *cpu.Gemm) { g.A = g.A[:len(g.A)-1] },
		"short B":             func(g *cpu.Gemm) { g.B = g.B[:len(g.B)-1] },
		"short C":             func(g *cpu.Gemm) { g.C = g.C[:len(g.C)-1] },
		"short bias":          func(g *cpu.Gemm) { g.Bias = make([]float32, g.N-1) },
		"rows of A overlap":   func(g *cpu.Gemm) { g.LDA = g.K - 1 },
		"A is not transposed": func(g *cpu.Gemm) { g.TransA = true },
	}
	scratch := make([]float32, cpu.GemmScratch)
	for _, k := range cpu.Available() {
		for name, spoil := range cases {
			g := product(5, 6, 4, "NN")
			spoil(&g)
			mustPanic(t, name, func() { k.Gemm(g, scratch) })
		}
		mustPanic(t, "short scratch", func() { k.Gemm(product(5, 6, 4, "NN"), scratch[1:]) })
	}
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	f()
}

// TestGemmOfFewRows runs the kernels of one row and of two at every number of
// columns that they take in two calls, on small integers and NaN: there is nothing
// to round.
func TestGemmOfFewRows(t *testing.T) {
	rng := newRand(9)
	next := func() float32 {
		if rng.IntN(60) == 0 {
			return float32(math.NaN())
		}
		return float32(rng.IntN(5) - 2)
	}
	for n := 1; n <= 225; n++ {
		for i := range 2 * 2 * 3 * 2 * 2 {
			c := gemmCase{
				m: 1 + i%2, n: n, k: []int{0, 1, 11}[i/2%3], form: []string{"NN", "TN"}[i/6%2],
				bias: i/12%2 > 0, relu: i/24 > 0, pad: 3, offset: n % 9,
			}
			g := c.build(next)
			want := multiply(cpu.Available()[0], g)
			for _, k := range cpu.Available()[1:] {
				if got := multiply(k, g); !sameNumbers(got, want) {
					t.Fatalf("%s, %s: %v, want %v", k.Level(), c, got, want)
				}
			}
		}
	}
}
