package cpu

import (
	"fmt"
	"math"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// guarded is a slice of n numbers that ends where memory that must not be
// touched begins: assembly that reads or writes beyond it faults.
func guarded(t *testing.T, n int) []float32 {
	t.Helper()
	page := syscall.Getpagesize()
	size := (4*n + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, edge := range [][]byte{memory[:page], memory[page+size:]} {
		if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		return []float32{}
	}
	out := unsafe.Slice((*float32)(unsafe.Pointer(&memory[page+size-4*n])), n)
	for i := range out {
		out[i] = float32(math.Sin(float64(i + n)))
	}
	return out
}

// TestNoAccessBeyondSlices runs kernels on slices that end at forbidden
// memory, at every level and at sizes around the vectors' widths.
func TestNoAccessBeyondSlices(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, k := range Available() {
		for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 40} {
			t.Run(fmt.Sprintf("%s/%d", k.Level(), n), func(t *testing.T) {
				s := func(size int) []float32 { return guarded(t, size) }
				guardProducts(k, n, s)
				guardArrays(k, n, s)
				guardRows(k, n, s)
				guardDevice(NewDevice(k, 1), n, func(size int) kernels.Buffer { return numbers(guarded(t, size)) })
			})
		}
	}
}

// TestNoAccessBeyondRows does the same with kernels of few rows at every number of
// vectors, with copies of rows and with normalisations of blocks in more than one register.
func TestNoAccessBeyondRows(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s := func(size int) []float32 { return guarded(t, size) }
	for _, k := range Available() {
		scratch := make([]float32, GemmScratch)
		for n := range 28 * 8 {
			if n%8 > 1 && n%8 != 4 {
				continue
			}
			for _, m := range []int{1, 2} {
				g := Gemm{M: m, N: n, K: 3, A: s(m * 3), B: s(n * 3), C: s(m * n), Bias: s(n), LDA: 3, LDB: n, LDC: n, ReLU: m == 2}
				k.Gemm(g, scratch)
				g.TransA, g.LDA = true, m
				k.Gemm(g, scratch)
			}
		}
		for _, cols := range []int{1, 2, 3, 7, 8, 9, 31, 32, 33, 40, 63, 257, 300} {
			for rows := 1; rows < 9; rows++ {
				to, from := guardedInts(t, []int32{8, 7, 6, 5, -1, 3, 2, 1}[:rows]...), guardedInts(t, []int32{0, 8, 8, 3, 1, 0, 7, 2}[:rows]...)
				k.CopyRows(rows, cols, portable.Rows[float32]{Of: s(9 * cols), Stride: cols, Index: to}, portable.Rows[float32]{Of: s(9 * cols), Stride: cols, Index: from})
				k.CopyRows(rows, cols, portable.Rows[float32]{Of: s((rows-1)*(cols+3) + cols), Stride: cols + 3}, portable.Rows[float32]{Of: s(rows * cols), Stride: cols})
			}
		}
		for h := 1; h <= 9; h++ {
			guardBlocks(k, h, 33, s)
		}
	}
}

func guardProducts(k Kernels, n int, s func(int) []float32) {
	scratch := make([]float32, GemmScratch)
	for _, m := range []int{1, 2, 7, 15} {
		for _, depth := range []int{1, 5, 13} {
			g := Gemm{M: m, N: n, K: depth, A: s(m * depth), B: s(n * depth), C: s(m * n), Bias: s(n), LDA: depth, LDB: n, LDC: n}
			k.Gemm(g, scratch)
			g.TransB, g.LDB = true, depth
			k.Gemm(g, scratch)
			g.TransA, g.LDA, g.TransB, g.LDB = true, m, false, n
			k.Gemm(g, scratch)
		}
	}
	NewDevice(k, 1).NewRanker(17, n).Rank(kernels.Ranking{
		Events: 17, Nodes: 5, Dim: n, U: numbers(s(17 * n)), P: numbers(s(5 * n)), W: numbers(s(n)),
		Candidates: []int32{0, 1, 4}, True: make([]int32, 17),
	}, make([]int32, 17), make([]int32, 17))
}

func guardArrays(k Kernels, n int, s func(int) []float32) {
	for _, f := range []func(dst, x []float32){k.Exp, k.Sigmoid, k.ReLU} {
		f(s(n), s(n))
	}
	for _, f := range []func(dst, a, b []float32){k.Add, k.Mul, k.AddMul, k.ReLUGrad} {
		f(s(n), s(n), s(n))
	}
	k.Affine(s(n), s(n), 2, 1)
	k.Axpy(s(n), s(n), 2)
	k.AxpySum(s(n), s(n), s(n), 2)
	k.Sum(s(n))
	k.Dot(s(n), s(n))
	k.DotSum(s(n), s(n), s(n))
	k.BCELoss(s(n), s(n), s(n), s(n))
	k.BCEGrad(s(n), s(n), s(n), s(n), 1)
	k.Adam(s(n), s(n), s(n), s(n), 0, 0, 0, 0, 0, 1, 1, 0)
	k.Momentum(s(n), s(n), s(n), .1, .1, .1)
}

func guardRows(k Kernels, n int, s func(int) []float32) {
	guardBlocks(k, n, 7, s)
	k.SigmoidGrad(s(n), s(n), s(n))
}

func guardBlocks(k Kernels, h, blocks int, s func(int) []float32) {
	n := h * blocks
	k.SoftmaxBlocks(s(n), s(n), h, .5)
	k.SoftmaxBlocksGrad(s(n), s(n), s(n), h, .5)
	k.DivideSumBlocks(s(n), s(n), h, .5, .1)
	k.DivideSumBlocksGrad(s(n), s(n), s(n), s(n), h, .5, .1)
}

type numbers = portable.Buffer[float32]

// guardDevice runs kernels that a device makes of those on slices.
func guardDevice(d *Device, n int, s func(int) kernels.Buffer) {
	d.TimeEncode(3, n, s(3*n), s(3), s(n), s(n))
	d.TimeEncodeGrad(3, n, s(n), s(n), s(3*n), s(3), s(n), s(n))
	d.GRUCell(3, n, s(3*n), s(9*n), s(9*n), s(9*n), s(3*n))
	d.GRUCellGrad(3, n, s(9*n), s(9*n), s(3*n), s(3*n), s(9*n), s(9*n), s(3*n))
	d.ColumnSums(3, n, s(n), s(3*n))
	m := &kernels.Mixture{Rows: 3, Cols: n, Self: s(3 * n), Other: s(3 * n), Alpha: s(n), Beta: s(n)}
	to := &kernels.MixtureGrad{Self: s(3 * n), Other: s(3 * n), E: s(3 * n), Alpha: s(3 * n), Beta: s(3 * n)}
	for _, e := range []kernels.Buffer{nil, s(3 * n)} {
		m.E = e
		d.Mix(m, s(3*n))
		d.MixGrad(m, s(3*n), to)
	}
}
