package portable

import (
	"fmt"

	"dgsbench/kernels"
)

// Gemm is a matrix product, C = op(A) op(B), of row-major matrices, followed by
// a bias and a ReLU where asked for.
//
// Each element of C is one sum over k in order. Only then comes the bias. C
// must not overlap the others.
type Gemm[T Float] struct {
	M, N, K        int // C is M x N, op(A) M x K, op(B) K x N
	A, B, C        []T
	LDA, LDB, LDC  int  // elements from one row to the next, as stored
	TransA, TransB bool // A is stored K x M, B is stored N x K
	Bias           []T  // N, added to every row; nil adds nothing
	ReLU           bool
}

// Product returns the matrix product of [kernels.Elementary], not computed yet.
func (d *Device[T]) Product(op kernels.Op, m, n, k int, a, b, c, bias kernels.Buffer, relu bool) Gemm[T] {
	g := Gemm[T]{
		M: m, N: n, K: k, A: d.Elements(a), B: d.Elements(b), C: d.Elements(c), LDA: k, LDB: n, LDC: n,
		TransA: op == kernels.TN, TransB: op == kernels.NT, Bias: d.Elements(bias), ReLU: relu,
	}
	if g.TransA {
		g.LDA = m
	}
	if g.TransB {
		g.LDB = k
	}
	return g
}

func (d *Device[T]) Gemm(op kernels.Op, m, n, k int, a, b, c, bias kernels.Buffer, relu bool) {
	d.Product(op, m, n, k, a, b, c, bias, relu).Run()
}

// Rows is the part of the product that gives rows lo to hi of C, for a
// division over threads. It gives the same bits as the whole.
func (g Gemm[T]) Rows(lo, hi int) Gemm[T] {
	if hi <= lo {
		g.M = 0
		return g
	}
	g.M = hi - lo
	g.C = g.C[lo*g.LDC:]
	if g.TransA {
		g.A = g.A[min(lo, len(g.A)):]
	} else {
		g.A = g.A[min(lo*g.LDA, len(g.A)):]
	}
	return g
}

// Check panics if sizes, strides and slices do not fit together.
func (g *Gemm[T]) Check() {
	if g.M < 0 || g.N < 0 || g.K < 0 {
		panic(fmt.Sprintf("gemm: sizes m, n, k are %d, %d, %d", g.M, g.N, g.K))
	}
	checkMatrix("A", g.TransA, g.M, g.K, len(g.A), g.LDA)
	checkMatrix("B", g.TransB, g.K, g.N, len(g.B), g.LDB)
	checkMatrix("C", false, g.M, g.N, len(g.C), g.LDC)
	if g.Bias != nil && len(g.Bias) < g.N {
		panic(fmt.Sprintf("gemm: bias of %d elements for %d columns", len(g.Bias), g.N))
	}
}

func checkMatrix(name string, transposed bool, rows, cols, length, ld int) {
	if transposed {
		rows, cols = cols, rows
	}
	if rows == 0 || cols == 0 {
		return
	}
	if ld < cols || length < (rows-1)*ld+cols {
		panic(fmt.Sprintf("gemm: %s is %d x %d but has %d elements and rows %d apart", name, rows, cols, length, ld))
	}
}

// StepsA returns how many elements of A lie between one row of op(A) and the next, and between
// one k and the next.
func (g *Gemm[T]) StepsA() (row, k int) {
	if g.TransA {
		return 1, g.LDA
	}
	return g.LDA, 1
}

// Run computes the product.
func (g Gemm[T]) Run() {
	g.Check()
	aRow, aCol := g.StepsA()
	for i := range g.M {
		c := g.C[i*g.LDC:][:g.N]
		clear(c)
		for p := range g.K {
			g.addRow(c, g.A[i*aRow+p*aCol], p)
		}
		g.finish(c)
	}
}

// addRow adds a times row p of op(B) to c.
func (g *Gemm[T]) addRow(c []T, a T, p int) {
	if g.TransB {
		for j := range c {
			c[j] += a * g.B[j*g.LDB+p]
		}
		return
	}
	b := g.B[p*g.LDB:][:len(c)]
	for j, v := range b {
		c[j] += a * v
	}
}

// finish adds the bias and applies the ReLU, which lets NaN through.
func (g *Gemm[T]) finish(c []T) {
	if g.Bias != nil {
		for j, v := range g.Bias[:len(c)] {
			c[j] += v
		}
	}
	if g.ReLU {
		for j, v := range c {
			c[j] = max(v, 0)
		}
	}
}
