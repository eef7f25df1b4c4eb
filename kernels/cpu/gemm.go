package cpu

import (
	"fmt"

	"dgsbench/kernels/portable"
)

// Gemm is a matrix product; see [portable.Gemm].
type Gemm = portable.Gemm[float32]

// GemmScratch is the number of elements of scratch that a product of any size
// needs, on each thread that computes one.
const GemmScratch = gemmDepth * gemmWidth

// A product is computed in panels of at most gemmDepth rows and gemmWidth
// columns of op(B); scratch holds one of them. All panels go over one block of about
// gemmRows rows of op(A) before the next.
const (
	gemmDepth = 512
	gemmWidth = 32
	gemmRows  = 512
)

// Gemm computes the product. It panics if the sizes do not fit or scratch has
// less than GemmScratch elements. Every element of C is one sum over k in
// order by fused multiply-add, so neither the level (but for Portable, which
// may round products) nor a division into rows changes a bit.
func (k Kernels) Gemm(g Gemm, scratch []float32) {
	g.Check()
	if len(scratch) < GemmScratch {
		panic(fmt.Sprintf("gemm: scratch of %d elements, need %d", len(scratch), GemmScratch))
	}
	if g.M > 0 && g.N > 0 {
		k.gemm(g, scratch)
	}
}
