//go:build gpu

package cuda

import (
	"math"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// gemmKernel is a kernel of matrix products: a block has a square of results, and
// each of its groups of threads slices of the operands in shared memory.
type gemmKernel struct {
	kernel              string
	side, depth, groups int
}

var (
	largeGemm = gemmKernel{"gemm", 64, 16, 1}
	smallGemm = gemmKernel{"gemm_small", 16, 32, 4}
)

// size covers the results. Slices are as in gemm.cu: two of either operand.
func (p *gemmKernel) size(rows, cols int) driver.Launch {
	pad := max(p.side/16, 2)
	return driver.Launch{
		Blocks:  [2]int{(rows + p.side - 1) / p.side, (cols + p.side - 1) / p.side},
		Threads: maxThreads,
		Shared:  4 * p.groups * p.depth * (p.side + pad) * wordBytes,
	}
}

// Gemm uses large tiles, which need fewer reads, or small ones where these would
// leave multiprocessors without work; they sum a quarter of k at a time.
func (d *Device) Gemm(op kernels.Op, m, n, k int, a, b, c, bias kernels.Buffer, relu bool) {
	p := &largeGemm
	if l := p.size(m, n); l.Blocks[0]*l.Blocks[1] < d.card.Info().Multiprocessors {
		p = &smallGemm
	}
	d.launch(p.kernel, p.size(m, n), nil, intParam(m), intParam(n), intParam(k), at(a, m*k), flag(op == kernels.TN),
		at(b, k*n), flag(op == kernels.NT), at(c, m*n), maybe(bias, n), flag(relu))
}

// Elementwise kernels, and losses.

func (d *Device) Zero(n int, dst kernels.Buffer) { d.clear(driver.Ptr(at(dst, n)), n*wordBytes) }

func (d *Device) Add(n int, dst, a, b kernels.Buffer) {
	d.each("add", n, at(dst, n), at(a, n), at(b, n))
}

func (d *Device) Mul(n int, dst, a, b kernels.Buffer) {
	d.each("mul", n, at(dst, n), at(a, n), at(b, n))
}

func (d *Device) Affine(n int, dst kernels.Buffer, a float64, x kernels.Buffer, b float64) {
	d.each("affine", n, at(dst, n), single(a), at(x, n), single(b))
}

func (d *Device) AddReLU(n int, dst, a, b kernels.Buffer) {
	d.each("add_relu", n, at(dst, n), at(a, n), at(b, n))
}

func (d *Device) ReLUGrad(n int, dst, y, g kernels.Buffer) {
	d.each("relu_grad", n, at(dst, n), at(y, n), at(g, n))
}

func (d *Device) Clamp(n int, dst kernels.Buffer, low, high float64) {
	d.each("clamp", n, at(dst, n), single(low), single(high))
}

func (d *Device) Sigmoid(n int, dst, x kernels.Buffer) { d.each("sigmoids", n, at(dst, n), at(x, n)) }

func (d *Device) SigmoidGrad(n int, dx, g, y kernels.Buffer) {
	d.each("sigmoid_grad", n, at(dx, n), at(g, n), at(y, n))
}

func (d *Device) ColumnSums(rows, cols int, dst, x kernels.Buffer) {
	d.sumColumns("column_sums", rows, cols, at(dst, cols), at(x, rows*cols))
}

// BCE sums in float64.
func (d *Device) BCE(rows int, loss, z, y, w kernels.Buffer) {
	const sumBytes = 8
	d.launch("bce", driver.Launch{Blocks: [2]int{1, 1}, Threads: maxThreads, Shared: maxThreads * sumBytes}, nil,
		intParam(rows), at(loss, 1), at(z, rows), at(y, rows), at(w, rows))
}

func (d *Device) BCEGrad(rows int, dz, z, y, w, g kernels.Buffer) {
	d.each("bce_grad", rows, at(dz, rows), at(z, rows), at(y, rows), at(w, rows), at(g, 1))
}

// Optimisers.

func (d *Device) Adam(p, g, m, v kernels.Group, s kernels.AdamStep) {
	kernels.CheckGroups(p.(*group).buffers, g.(*group).buffers, m.(*group).buffers, v.(*group).buffers)
	d.eachMember("adam", p, tableOf(g), tableOf(m), tableOf(v), single(s.Size), single(s.Root), single(s.Beta1), single(s.Rest1),
		single(s.Beta2), single(s.Rest2), single(s.Eps), single(s.WeightDecay), d.flag(flagBad))
}

func (d *Device) Momentum(p, g, v kernels.Group, rate, momentum, decay float64) {
	kernels.CheckGroups(p.(*group).buffers, g.(*group).buffers, v.(*group).buffers)
	d.eachMember("momentum", p, tableOf(g), tableOf(v), single(rate), single(momentum), single(decay), d.flag(flagBad))
}

// Rows by lists of row numbers.

// rowsOf is the number of rows in all of a buffer: any number of empty ones.
func rowsOf(b kernels.Buffer, cols int) int {
	if cols == 0 {
		return math.MaxInt32
	}
	return b.Len() / cols
}

func (d *Device) GatherRows(rows, srcRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.eachNumber("gather_rows", rows, cols, at(dst, rows*cols), below(rows, srcRows), at(src, srcRows*cols),
		atInts(index, rows), d.fault())
}

func (d *Device) ScatterRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.eachWarp("scatter_rows", rows, intParam(cols), below(rows, rowsOf(dst, cols)), at(dst, 0), at(src, rows*cols),
		atInts(index, rows), d.fault())
}

func (d *Device) PutRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.eachNumber("put_rows", rows, cols, below(rows, rowsOf(dst, cols)), at(dst, 0), at(src, rows*cols),
		atInts(index, rows), d.fault())
}

func (d *Device) ScatterAddRows(rows, dstRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	d.eachTile("scatter_add_rows", rows, cols, intParam(rows), intParam(cols), below(rows, dstRows), at(dst, dstRows*cols),
		at(src, rows*cols), atInts(index, rows), d.fault())
}

func (d *Device) CopyRows(rows, cols int, dst kernels.Buffer, dstStride int, src kernels.Buffer, srcStride int) {
	if rows > 0 {
		to, from := at(dst, (rows-1)*dstStride+cols), at(src, (rows-1)*srcStride+cols)
		d.eachNumber("copy_rows", rows, cols, to, intParam(dstStride), from, intParam(srcStride))
	}
}

func (d *Device) MoveRows(rows, cols int, dst kernels.Buffer, to kernels.Ints, src kernels.Buffer, from kernels.Ints) {
	d.eachNumber("move_rows", rows, cols, below(rows, rowsOf(dst, cols)), at(dst, 0), atInts(to, rows),
		below(rows, rowsOf(src, cols)), at(src, 0), atInts(from, rows), d.fault())
}

// Buckets of features.

func (d *Device) Bucketize(rows, cols, edgeRows int, dst kernels.Ints, x, edges kernels.Buffer, first kernels.Ints) {
	n := rows * cols
	d.eachNumber("bucketize", rows, cols, intParam(edgeRows), atInts(dst, n), at(x, n), at(edges, edgeRows*cols), atInts(first, cols))
}

func (d *Device) SumRows(rows, terms, tableRows, cols int, dst, table kernels.Buffer, index kernels.Ints) {
	d.eachNumber("sum_rows", rows, cols, intParam(terms), at(dst, rows*cols), below(rows*terms, tableRows), at(table, tableRows*cols),
		atInts(index, rows*terms), d.fault())
}

func (d *Device) FoldBuckets(f *kernels.Fold, dst kernels.Buffer, buckets kernels.Ints, features int) {
	d.eachNumber("fold_buckets", f.Rows, f.Cols, append(d.fold(f, dst),
		atInts(buckets, f.Events*features), intParam(features), d.fault())...)
}

func (d *Device) FoldRows(f *kernels.Fold, dst, rows kernels.Buffer) {
	d.eachNumber("fold_rows", f.Rows, f.Cols, append(d.fold(f, dst), at(rows, f.Events*f.Cols), d.fault())...)
}

// fold is the parameters that both have.
func (d *Device) fold(f *kernels.Fold, dst kernels.Buffer) []uint64 {
	return append(d.scratch[:0],
		at(dst, f.Rows*f.Cols), below(f.Rows, f.Nodes), at(f.Table, f.Nodes*f.Cols), atInts(f.Self, f.Rows), atInts(f.Other, f.Rows),
		below(f.Rows, f.Events), atInts(f.Event, f.Rows),
		at(f.Keep, f.Rows), at(f.Mix, f.Rows), at(f.Hit, f.Rows))
}

// Mixtures and derivatives that are carried forward.

func (d *Device) Mix(m *kernels.Mixture, dst kernels.Buffer) {
	d.eachNumber("mix", m.Rows, m.Cols, append(d.mixture(m), at(dst, m.Rows*m.Cols))...)
}

func (d *Device) MixGrad(m *kernels.Mixture, g kernels.Buffer, grad *kernels.MixtureGrad) {
	d.eachNumber("mix_grad", m.Rows, m.Cols, appendGrad(append(d.mixture(m), at(g, m.Rows*m.Cols)), m, grad)...)
}

func (d *Device) MixForward(m *kernels.Mixture, dst kernels.Buffer, f *kernels.MixtureForward) {
	n := m.Rows * m.Cols
	d.eachNumber("mix_forward", m.Rows, m.Cols, append(appendGrad(append(d.mixture(m), at(dst, n)), m, &f.Step),
		flag(f.Logits), at(f.Alpha.Table, 0), at(f.Alpha.Dst, n), at(f.Beta.Table, 0), at(f.Beta.Dst, n))...)
}

// mixture is the parameters that are read. With lists, operands have any number of rows.
func (d *Device) mixture(m *kernels.Mixture) []uint64 {
	n, factors := m.Rows*m.Cols, m.Cols
	if m.PerRow {
		factors = n
	}
	var self, other, e uint64
	if m.From != nil {
		self, other, e = atInts(m.From.Self, m.Rows), atInts(m.From.Other, m.Rows), atInts(m.From.E, m.Rows)
		n, factors = 0, 0
	}
	return append(d.scratch[:0],
		at(m.Self, n), at(m.Other, n), maybe(m.E, n), at(m.Alpha, factors), at(m.Beta, factors), flag(m.PerRow), self, other, e)
}

// appendGrad appends the parameters of the gradients.
func appendGrad(parameters []uint64, m *kernels.Mixture, g *kernels.MixtureGrad) []uint64 {
	n, e := m.Rows*m.Cols, uint64(0)
	if m.E != nil {
		e = at(g.E, n)
	}
	return append(parameters, at(g.Self, n), at(g.Other, n), e, at(g.Alpha, n), at(g.Beta, n))
}

var derivativesOf = map[kernels.Rescaling]string{
	kernels.Softmax: "softmax_derivatives", kernels.DivideSum: "divide_sum_derivatives",
	kernels.Sparsemax: "sparsemax_derivatives", kernels.Entmax: "entmax_derivatives",
}

func (d *Device) BlockDerivatives(b *kernels.BlockDerivatives) {
	if b.Rows == 0 {
		return
	}
	n, z := b.Blocks*b.H, uint64(0)
	if b.By == kernels.DivideSum {
		z = at(b.Z, 0)
	}
	d.eachRow(derivativesOf[b.By], b.Rows*n, b.H, intParam(b.Blocks), intParam(b.Kept), at(b.Dst, (b.Rows-1)*b.Stride+n*b.Kept), intParam(b.Stride),
		at(b.P, b.Rows*n), below(b.Rows, rowsOf(b.Y, n)), at(b.Y, 0), z, atInts(b.Index, b.Rows), single(b.Scale), single(b.Eps),
		single(b.Floor), d.fault())
}

func (d *Device) ContractRows(
	rows, srcRows, cols int, dst kernels.Group, w kernels.Buffer, src kernels.Group, index kernels.Ints, y kernels.Group,
) {
	var factors uint64
	if y != nil {
		factors = tableOfEach(y, cols)
	}
	size := columnBlocks(cols)
	size.Blocks[1] = dst.Buffers()
	d.launch("contract_rows", size, nil, intParam(rows), intParam(cols), tableOfEach(dst, cols), at(w, rows*cols), below(rows, srcRows),
		tableOfEach(src, srcRows*cols), atInts(index, rows), factors, d.fault())
}

func (d *Device) CommitRows(rows, cols int, dst, src kernels.Group, index kernels.Ints) {
	size, dstRows := threadsFor(rows*warp), math.MaxInt32
	size.Blocks[1] = dst.Buffers()
	for _, b := range dst.(*group).buffers {
		dstRows = min(dstRows, rowsOf(b, cols))
	}
	d.launch("commit_rows", size, nil, intParam(rows), intParam(cols), below(rows, dstRows), tableOf(dst), tableOfEach(src, rows*cols),
		atInts(index, rows), d.flag(flagBad), d.fault())
}
