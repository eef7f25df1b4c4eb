//go:build amd64 && !purego

package cpu

import (
	"fmt"

	"golang.org/x/sys/cpu"

	"dgsbench/kernels/portable"
)

//go:generate go run ./internal/gen

// vectorKernels are those of the vector levels that this processor has.
func vectorKernels() []Kernels {
	x := cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return nil
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasBMI2:
		return []Kernels{avx2(), avx512()}
	}
	return []Kernels{avx2()}
}

func avx2() Kernels {
	b := blockKernels{
		packings: newPackings(8), softmaxPacked: softmaxPackedAVX2, softmaxGradPacked: softmaxGradPackedAVX2,
		divideSumPacked: divideSumPackedAVX2, divideSumGradPacked: divideSumGradPackedAVX2,
		softmaxWide: softmaxWideAVX2, softmaxGradWide: softmaxGradWideAVX2,
		divideSumWide: divideSumWideAVX2, divideSumGradWide: divideSumGradWideAVX2,
	}
	tiles := gemmKernels{rows: 6, lanes: 8, wide: gemmAVX2Wide, narrow: gemmAVX2Narrow, few: []rowsKernel{{13, gemmRowAVX2}, {6, gemmTwoRowsAVX2}}}
	rank := &rankKernels{
		scores: rankScoresAVX2, count: []rankCount{rankCountAVX2},
		scoresMoving: rankScoresMovingAVX2, countMoving: []rankCountMoving{rankCountMovingAVX2},
	}
	return Kernels{
		level: AVX2, gemm: tiles.gemm, ranker: rank.newRanker,
		floats: jacobianVectors[float32]{
			read:    [...]vectorRead[float32]{jacobianRead4, jacobianRead8, jacobianRead16AVX2},
			replace: [...]vectorReplace[float32]{jacobianReplace4, jacobianReplace8, jacobianReplace16AVX2},
		}.kernels(),
		halves: jacobianVectors[uint16]{
			read:    [...]vectorRead[uint16]{jacobianReadHalf4, jacobianReadHalf8, jacobianReadHalf16AVX2},
			replace: [...]vectorReplace[uint16]{jacobianReplaceHalf4, jacobianReplaceHalf8, jacobianReplaceHalf16AVX2},
		}.kernels(),
		Kernels: &portable.Kernels[float32]{
			Add: addAVX2, Mul: mulAVX2, AddMul: addMulAVX2, Affine: affineAVX2, Axpy: axpyAVX2, AxpySum: axpySumAVX2,
			ReLU: reluAVX2, ReLUGrad: reluGradAVX2, SigmoidGrad: sigmoidGradAVX2,
			Exp: expAVX2, Sigmoid: sigmoidAVX2, Sum: sumAVX2, Dot: dotAVX2, DotSum: dotSumAVX2,
			BCELoss: bceLossAVX2, BCEGrad: bceGradAVX2, Adam: adamAVX2, Momentum: momentumAVX2,
			SoftmaxBlocks: b.softmax, SoftmaxBlocksGrad: b.softmaxGrad, DivideSumBlocks: b.divideSum, DivideSumBlocksGrad: b.divideSumGrad,
			GRURow: gruForwardAVX2, GRURowGrad: gruBackwardAVX2, TimeRow: timeForwardAVX2, TimeRowGrad: timeBackwardAVX2, EdgeGrad: edgeGradAVX2,
			MixRow: mixAVX2, MixRowWithoutE: mixWithoutEAVX2, MixRowGrad: mixGradAVX2, MixRowGradWithoutE: mixGradWithoutEAVX2,
			CopyRows: copyMatrixRows, FoldRow: foldRowAVX2, FoldAddRow: foldAddAVX2, SumRows: rowSums{8, sumRowsAVX2}.sum, BucketizeRow: bucketizeAVX2,
		},
	}
}

func avx512() Kernels {
	b := blockKernels{
		packings: newPackings(16), softmaxPacked: softmaxPackedAVX512, softmaxGradPacked: softmaxGradPackedAVX512,
		divideSumPacked: divideSumPackedAVX512, divideSumGradPacked: divideSumGradPackedAVX512,
		softmaxWide: softmaxWideAVX512, softmaxGradWide: softmaxGradWideAVX512,
		divideSumWide: divideSumWideAVX512, divideSumGradWide: divideSumGradWideAVX512,
	}
	tiles := gemmKernels{rows: 14, lanes: 16, wide: gemmAVX512Wide, narrow: gemmAVX512Narrow, few: []rowsKernel{{8, gemmRowAVX512}, {8, gemmRowAVX512}}}
	rank := &rankKernels{
		scores: rankScoresAVX512, count: []rankCount{rankCountAVX512x1, rankCountAVX512x2, rankCountAVX512x3, rankCountAVX512x4},
		scoresMoving: rankScoresMovingAVX512,
		countMoving:  []rankCountMoving{rankCountMovingAVX512x1, rankCountMovingAVX512x2, rankCountMovingAVX512x3, rankCountMovingAVX512x4},
	}
	return Kernels{
		level: AVX512, gemm: tiles.gemm, ranker: rank.newRanker,
		floats: jacobianVectors[float32]{
			read:    [...]vectorRead[float32]{jacobianRead4, jacobianRead8, jacobianRead16AVX512},
			replace: [...]vectorReplace[float32]{jacobianReplace4, jacobianReplace8, jacobianReplace16AVX512},
		}.kernels(),
		halves: jacobianVectors[uint16]{
			read:    [...]vectorRead[uint16]{jacobianReadHalf4, jacobianReadHalf8, jacobianReadHalf16AVX512},
			replace: [...]vectorReplace[uint16]{jacobianReplaceHalf4, jacobianReplaceHalf8, jacobianReplaceHalf16AVX512},
		}.kernels(),
		Kernels: &portable.Kernels[float32]{
			Add: addAVX512, Mul: mulAVX512, AddMul: addMulAVX512, Affine: affineAVX512, Axpy: axpyAVX512, AxpySum: axpySumAVX512,
			ReLU: reluAVX512, ReLUGrad: reluGradAVX512, SigmoidGrad: sigmoidGradAVX512,
			Exp: expAVX512, Sigmoid: sigmoidAVX512, Sum: sumAVX512, Dot: dotAVX512, DotSum: dotSumAVX512,
			BCELoss: bceLossAVX512, BCEGrad: bceGradAVX512, Adam: adamAVX512, Momentum: momentumAVX512,
			SoftmaxBlocks: b.softmax, SoftmaxBlocksGrad: b.softmaxGrad, DivideSumBlocks: b.divideSum, DivideSumBlocksGrad: b.divideSumGrad,
			GRURow: gruForwardAVX512, GRURowGrad: gruBackwardAVX512, TimeRow: timeForwardAVX512, TimeRowGrad: timeBackwardAVX512,
			EdgeGrad: edgeGradAVX512,
			MixRow:   mixAVX512, MixRowWithoutE: mixWithoutEAVX512, MixRowGrad: mixGradAVX512, MixRowGradWithoutE: mixGradWithoutEAVX512,
			CopyRows: copyMatrixRows, FoldRow: foldRowAVX512, FoldAddRow: foldAddAVX512, SumRows: rowSums{16, sumRowsAVX512}.sum, BucketizeRow: bucketizeAVX512,
		},
	}
}

// rowSums has the vector kernel that sums width columns of rows, at most
// sumRegisters registers. It stops at a row that does not exist.
type rowSums struct {
	lanes int
	part  func(dst *float32, table []float32, index []int32, rows, stride, width int) (inside bool)
}

const sumRegisters = 8

// sum is [portable.Kernels.SumRows].
func (s rowSums) sum(dst []float32, cols int, table []float32, index []int32, terms int) {
	if terms == 0 || cols == 0 {
		clear(dst)
		return
	}
	rows, step := len(table)/cols, sumRegisters*s.lanes
	for at := 0; at < cols; at += step {
		width := min(step, cols-at)
		for i := range len(dst) / cols {
			to := dst[i*cols+at:][:width]
			if rows == 0 || !s.part(&to[0], table[at:], index[i*terms:][:terms], rows, cols, width) {
				panic(fmt.Sprintf("cpu: SumRows of a row outside 0 to %d", rows-1))
			}
		}
	}
}

// blockKernels rescale blocks of h elements. The packed ones hold several
// blocks of at most a register in its lanes, the wide ones are called for each
// block.
type blockKernels struct {
	packings []packing // by h

	softmaxPacked       func(dst, x []float32, table *uint32, h, step int, scale float32)
	softmaxGradPacked   func(dx, dy, y []float32, table *uint32, h, step int, scale float32)
	divideSumPacked     func(dst, z []float32, table *uint32, h, step int, eps, floor float32)
	divideSumGradPacked func(dz, dy, y, z []float32, table *uint32, h, step int, eps, floor float32)
	softmaxWide         func(dst, x []float32, scale float32)
	softmaxGradWide     func(dx, dy, y []float32, scale float32)
	divideSumWide       func(dst, z []float32, eps, floor float32)
	divideSumGradWide   func(dz, dy, y, z []float32, eps, floor float32)
}

// each calls packed with the packing of blocks of h elements or, if they are
// longer than a register, wide with the bounds of each block of n elements.
func (b *blockKernels) each(n, h int, packed func(table *uint32, step int), wide func(lo, hi int)) {
	if h < len(b.packings) {
		p := &b.packings[h]
		packed(&p.rows[0][0], p.step)
		return
	}
	for at := 0; at < n; at += h {
		wide(at, at+h)
	}
}

func (b *blockKernels) softmax(dst, x []float32, h int, scale float32) {
	b.each(len(x), h,
		func(table *uint32, step int) { b.softmaxPacked(dst, x, table, h, step, scale) },
		func(lo, hi int) { b.softmaxWide(dst[lo:hi], x[lo:hi], scale) })
}

func (b *blockKernels) softmaxGrad(dx, dy, y []float32, h int, scale float32) {
	b.each(len(y), h,
		func(table *uint32, step int) { b.softmaxGradPacked(dx, dy, y, table, h, step, scale) },
		func(lo, hi int) { b.softmaxGradWide(dx[lo:hi], dy[lo:hi], y[lo:hi], scale) })
}

func (b *blockKernels) divideSum(dst, z []float32, h int, eps, floor float32) {
	b.each(len(z), h,
		func(table *uint32, step int) { b.divideSumPacked(dst, z, table, h, step, eps, floor) },
		func(lo, hi int) { b.divideSumWide(dst[lo:hi], z[lo:hi], eps, floor) })
}

func (b *blockKernels) divideSumGrad(dz, dy, y, z []float32, h int, eps, floor float32) {
	b.each(len(z), h,
		func(table *uint32, step int) { b.divideSumGradPacked(dz, dy, y, z, table, h, step, eps, floor) },
		func(lo, hi int) { b.divideSumGradWide(dz[lo:hi], dy[lo:hi], y[lo:hi], z[lo:hi], eps, floor) })
}

// packing tells a kernel how to hold whole blocks in the lanes of a register.
// Row 0 marks the lanes that belong to a block, row 1 names the first lane of
// a lane's block. A pair of rows follows for each step of the sum over a
// block, 8, 4, 2 and 1 lanes apart: the lane to join with, and whether the
// block has it.
type packing struct {
	rows [10][16]uint32
	step int // elements of the blocks in a register
}

// newPackings are those of a register, by the size of a block.
func newPackings(lanes int) []packing {
	all := make([]packing, lanes+1)
	for h := 1; h <= lanes; h++ {
		all[h].step = lanes / h * h
		for lane := range lanes {
			all[h].fill(lane, h)
		}
	}
	return all
}

func (p *packing) fill(lane, h int) {
	const yes = ^uint32(0)
	used, position := lane < p.step, lane%h
	p.rows[1][lane] = uint32(lane)
	if used {
		p.rows[0][lane] = yes
		p.rows[1][lane] = uint32(lane - position)
	}
	for i, distance := range []int{8, 4, 2, 1} {
		join, live := &p.rows[2+2*i][lane], &p.rows[3+2*i][lane]
		*join = uint32(lane)
		if used && position+distance < h {
			*join, *live = uint32(lane+distance), yes
		}
	}
}
