package cpu_test

import (
	"fmt"
	"math"

	"dgsbench/kernels/cpu"
)

// gemmCase is a product and what is needed to check it.
type gemmCase struct {
	m, n, k    int
	form       string // N or T for A and for B
	bias, relu bool
	pad        int // unused elements at the end of every row
	offset     int // of each slice from an aligned start
}

func (c gemmCase) String() string {
	return fmt.Sprintf("%dx%dx%d %s bias=%t relu=%t pad=%d offset=%d", c.m, c.n, c.k, c.form, c.bias, c.relu, c.pad, c.offset)
}

// gemmCases are sizes around the edges of the microkernels and of the blocks
// of k. Forms, epilogues and alignments alternate with periods that have no
// common divisor, so that they meet in all combinations.
func gemmCases() []gemmCase {
	forms := []string{"NN", "NT", "TN", "TT"}
	var cases []gemmCase
	add := func(m, n, k int) {
		i := len(cases)
		cases = append(cases, gemmCase{m, n, k, forms[i%4], i%13 < 5, i%7 < 3, i / 3 % 3, i % 11})
	}
	for _, m := range []int{0, 1, 6, 7, 14, 15, 29} {
		for n := range 41 {
			for _, k := range []int{0, 1, 9, 21, 40} {
				add(m, n, k)
			}
		}
	}
	for n := 41; n < 130; n++ { // more columns of two rows
		add(2, n, 1+n%21)
	}
	for size := range 41 {
		add(size, 33, 17)
		add(9, 49, size)
	}
	for _, s := range [][3]int{{200, 100, 172}, {101, 67, 513}, {3, 33, 1025}, {1, 300, 500}, {2, 300, 500}, {2, 128, 9}, {200, 1, 100}, {57, 48, 512}, {800, 34, 514},
		{57, 2, 513}, {57, 3, 1025}, {57, 2, 518}, {57, 7, 513}} {
		for range forms {
			add(s[0], s[1], s[2])
		}
	}
	return cases
}

// build makes the product with elements drawn by next.
func (c gemmCase) build(next func() float32) cpu.Gemm {
	draw := func(rows, cols int) ([]float32, int) {
		ld := cols + c.pad
		x := make([]float32, c.offset+rows*ld)[c.offset:]
		for i := range x {
			x[i] = next()
		}
		if rows > 0 && c.pad > 0 {
			x = x[:len(x)-c.pad] // the last row ends with its last column
		}
		return x, ld
	}
	g := cpu.Gemm{M: c.m, N: c.n, K: c.k, ReLU: c.relu}
	g.TransA, g.TransB = c.form[0] == 'T', c.form[1] == 'T'
	if g.TransA {
		g.A, g.LDA = draw(c.k, c.m)
	} else {
		g.A, g.LDA = draw(c.m, c.k)
	}
	if g.TransB {
		g.B, g.LDB = draw(c.n, c.k)
	} else {
		g.B, g.LDB = draw(c.k, c.n)
	}
	g.C, g.LDC = draw(c.m, c.n)
	if c.bias {
		g.Bias, _ = draw(1, c.n)
	}
	return g
}

// element is C[i,j] by a loop in float64, and the size of what was summed.
func element(g cpu.Gemm, i, j int) (want, size float64) {
	add := func(x float64) {
		want += x
		size += math.Abs(x)
	}
	for k := range g.K {
		a, b := i*g.LDA+k, k*g.LDB+j
		if g.TransA {
			a = k*g.LDA + i
		}
		if g.TransB {
			b = j*g.LDB + k
		}
		add(float64(g.A[a]) * float64(g.B[b]))
	}
	if g.Bias != nil {
		add(float64(g.Bias[j]))
	}
	if g.ReLU {
		want = max(want, 0)
	}
	return want, size
}

// multiply computes the product into a copy of C, with scratch full of NaN, which
// must not reach it.
func multiply(k cpu.Kernels, g cpu.Gemm) []float32 {
	scratch := make([]float32, cpu.GemmScratch)
	for i := range scratch {
		scratch[i] = float32(math.NaN())
	}
	g.C = append([]float32(nil), g.C...)
	k.Gemm(g, scratch)
	return g.C
}
