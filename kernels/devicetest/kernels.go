package devicetest

import (
	"fmt"
	"testing"

	"dgsbench/kernels"
)

// testRows is how many rows the matrices have whose width is the size. With a
// warp for a row they are more than one block of a card.
const testRows = 9

var elementaryCases = []kernelCase{
	{"Zero", 1, func(b *bench, n int) { b.Zero(n, b.normal(n)) }},
	{"Add", 1, func(b *bench, n int) { b.Add(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"Add in place", 1, func(b *bench, n int) { x := b.normal(n); b.Add(n, x, x, b.normal(n)) }},
	{"Mul", 1, func(b *bench, n int) { b.Mul(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"Mul in place", 1, func(b *bench, n int) { x := b.normal(n); b.Mul(n, x, b.normal(n), x) }},
	{"Affine", 1, func(b *bench, n int) { b.Affine(n, b.normal(n), -1.5, b.normal(n), .25) }},
	{"Affine in place", 1, func(b *bench, n int) { x := b.normal(n); b.Affine(n, x, -1.5, x, .25) }},
	{"AddReLU", 1, func(b *bench, n int) { b.AddReLU(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"ReLUGrad", 1, func(b *bench, n int) { b.ReLUGrad(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"Clamp", 1, func(b *bench, n int) { b.Clamp(n, b.normal(n), -.5, .75) }},
	{"ColumnSums", 2, func(b *bench, n int) { b.ColumnSums(testRows, n, b.normal(n), b.normal(testRows*n)) }},
	{"ColumnSums of many rows", 4, func(b *bench, n int) { b.ColumnSums(n, 3, b.normal(3), b.normal(3*n)) }},
	{"BCE", 1, func(b *bench, n int) { b.BCE(n, b.normal(1), b.normal(n), b.positive(n), b.positive(n)) }},
	{"BCEGrad", 1, func(b *bench, n int) {
		b.BCEGrad(n, b.normal(n), b.normal(n), b.positive(n), b.positive(n), b.positive(1))
	}},
	{"Sigmoid", 1, func(b *bench, n int) { b.Sigmoid(n, b.normal(n), b.normal(n)) }},
	{"SigmoidGrad", 1, func(b *bench, n int) { b.SigmoidGrad(n, b.normal(n), b.normal(n), b.normal(n)) }},
}

// gemmCases have products of the size in each of their three dimensions.
func gemmCases() []kernelCase {
	var all []kernelCase
	for name, op := range map[string]kernels.Op{"NN": kernels.NN, "NT": kernels.NT, "TN": kernels.TN} {
		for _, finish := range []bool{false, true} {
			all = append(all, kernelCase{fmt.Sprintf("Gemm/%s bias and ReLU %t", name, finish), 8, func(b *bench, n int) {
				for _, s := range [][3]int{{n, 7, 3}, {5, n, 9}, {4, 6, n}, {n, n + 3, 19}} {
					m, n, k := s[0], s[1], s[2]
					x, y, c := b.normal(m*k), b.normal(k*n), b.normal(m*n)
					if finish {
						b.Gemm(op, m, n, k, x, y, c, b.normal(n), true)
					} else {
						b.Gemm(op, m, n, k, x, y, c, nil, false)
					}
				}
			}})
		}
	}
	return all
}

var rowCases = []kernelCase{
	{"GatherRows", 1, func(b *bench, n int) { b.GatherRows(4, 7, n, b.normal(4*n), b.normal(7*n), b.list(6, 0, 3, 3)) }},
	{"GatherRows of many", 1, func(b *bench, n int) { b.GatherRows(n, 7, 3, b.normal(3*n), b.normal(7*3), b.rows(n, 7)) }},
	{"ScatterRows", 1, func(b *bench, n int) { b.ScatterRows(4, n, b.normal(7*n), b.normal(4*n), b.list(6, 0, 3, 3)) }},
	{"ScatterRows of many", 1, func(b *bench, n int) { b.ScatterRows(n, 3, b.normal(7*3), b.normal(3*n), b.rows(n, 7)) }},
	{"PutRows", 1, func(b *bench, n int) { b.PutRows(4, n, b.normal(7*n), b.normal(4*n), b.list(6, -1, 0, 3)) }},
	{"ScatterAddRows", 2, func(b *bench, n int) {
		b.ScatterAddRows(4, 7, n, b.normal(7*n), b.normal(4*n), b.list(6, 0, 3, 3))
	}},
	{"ScatterAddRows of many", 8, func(b *bench, n int) {
		b.ScatterAddRows(n, 7, 3, b.normal(7*3), b.normal(3*n), b.rows(n, 7))
	}},
	{"CopyRows", 1, func(b *bench, n int) { b.CopyRows(4, n, b.normal(4*(n+1)), n+1, b.normal(4*(n+2)), n+2) }},
	{"CopyRows that ends with its rows", 1, func(b *bench, n int) {
		b.CopyRows(4, n, b.normal(4*n), n, b.normal(3*(n+2)+n), n+2)
	}},
}

// Times are of the size of real ones after scaling; the encoding rounds its
// argument before the cosine.
var recurrentCases = []kernelCase{
	{"GRUCell", 1, func(b *bench, n int) {
		size := testRows * n
		b.GRUCell(testRows, n, b.normal(size), b.normal(3*size), b.normal(3*size), b.normal(3*size), b.normal(size))
	}},
	{"GRUCellGrad", 2, func(b *bench, n int) {
		size := testRows * n
		b.GRUCellGrad(testRows, n, b.normal(3*size), b.normal(3*size), b.normal(size), b.normal(size), b.positive(3*size), b.normal(3*size), b.normal(size))
	}},
	{"TimeEncode", 4, func(b *bench, n int) {
		b.TimeEncode(testRows, n, b.normal(testRows*n), b.normal(testRows), b.normal(n), b.normal(n))
	}},
	{"TimeEncodeGrad", 8, func(b *bench, n int) {
		b.TimeEncodeGrad(testRows, n, b.normal(n), b.normal(n), b.normal(testRows*n), b.normal(testRows), b.normal(n), b.normal(n))
	}},
	{"TimeEncodeGrad of many", 16, func(b *bench, n int) {
		b.TimeEncodeGrad(n, 3, b.normal(3), b.normal(3), b.normal(3*n), b.normal(n), b.normal(3), b.normal(3))
	}},
	{"TimeProject", 4, func(b *bench, n int) {
		b.TimeProject(testRows, n, b.normal(testRows*n), b.normal(testRows*n), b.normal(testRows), b.normal(n), b.normal(n))
	}},
	{"TimeProjectGrad", 8, func(b *bench, n int) {
		b.TimeProjectGrad(testRows, n, b.normal(testRows*n), b.normal(n), b.normal(n), b.normal(testRows*n), b.normal(testRows*n),
			b.normal(testRows), b.normal(n), b.normal(n))
	}},
}

// attentionCases have heads of n channels, and centres of n edges.
func attentionCases() []kernelCase {
	var all []kernelCase
	for _, dropout := range []bool{false, true} {
		for name, draw := range map[string]func(b *bench, n int, dropout bool) *kernels.Attention{"channels": wideAttention, "edges": longAttention} {
			all = append(all,
				kernelCase{fmt.Sprintf("Attend/%s, dropout %t", name, dropout), 8, func(b *bench, n int) { b.Attend(draw(b, n, dropout)) }},
				kernelCase{fmt.Sprintf("AttendGrad/%s, dropout %t", name, dropout), 16, func(b *bench, n int) {
					a := draw(b, n, dropout)
					b.Attend(a)
					b.AttendGrad(a, attentionGrad(b, a))
				}})
		}
	}
	return all
}

// wideAttention has centres without edges, a pair that is repeated, and two
// edges without a centre.
func wideAttention(b *bench, n int, dropout bool) *kernels.Attention {
	return attention(b, n, dropout, 6, []int32{0, 3, 3, 5, 5, 5}, b.list(2, 5, 2, 0, 2, 2, 1))
}

// longAttention has a centre of all edges but one.
func longAttention(b *bench, n int, dropout bool) *kernels.Attention {
	return attention(b, 3, dropout, 6, []int32{0, 1, int32(n) + 1}, b.rows(n+1, 6))
}

func attention(b *bench, channels int, dropout bool, nodes int, offsets []int32, index kernels.Ints) *kernels.Attention {
	const heads = 2
	width, centres, edges := heads*channels, len(offsets)-1, index.Len()
	a := &kernels.Attention{
		Heads: heads, Channels: channels, Centres: centres, Nodes: nodes, Edges: edges, Offsets: b.list(offsets...), Index: index,
		Q: b.normal(centres * width), Out: b.normal(centres * width), K: b.normal(nodes * width), V: b.normal(nodes * width),
		E: b.normal(edges * width), Weights: b.normal(edges * heads),
	}
	if dropout {
		a.Drop = b.positive(edges * heads)
	}
	return a
}

func attentionGrad(b *bench, a *kernels.Attention) *kernels.AttentionGrad {
	width := a.Heads * a.Channels
	return &kernels.AttentionGrad{
		Out: b.normal(a.Centres * width), Q: b.normal(a.Centres * width), E: b.normal(a.Edges * width),
		K: b.normal(a.Nodes * width), V: b.normal(a.Nodes * width), Scores: b.normal(a.Edges * a.Heads),
	}
}

// blockCases have n blocks, of lengths around those of vectors and warps.
func blockCases() []kernelCase {
	var all []kernelCase
	for _, h := range []int{1, 2, 5, 25, 33} {
		add := func(name string, scale float64, call func(b *bench, n int)) {
			all = append(all, kernelCase{fmt.Sprintf("%s/%d", name, h), scale, func(b *bench, n int) { call(b, n*h) }})
		}
		add("SoftmaxBlocks", 2, func(b *bench, n int) { b.SoftmaxBlocks(n, h, .7, b.normal(n), b.normal(n)) })
		add("SoftmaxBlocks in place", 2, func(b *bench, n int) { x := b.normal(n); b.SoftmaxBlocks(n, h, .7, x, x) })
		add("SoftmaxBlocksGrad", 4, func(b *bench, n int) { b.SoftmaxBlocksGrad(n, h, .7, b.normal(n), b.normal(n), b.positive(n)) })
		add("DivideSumBlocks", 8, func(b *bench, n int) { b.DivideSumBlocks(n, h, 1e-6, .5, b.normal(n), b.normal(n)) })
		add("DivideSumBlocksGrad", 8, func(b *bench, n int) {
			b.DivideSumBlocksGrad(n, h, 1e-6, .5, b.normal(n), b.normal(n), b.positive(n), b.normal(n))
		})
	}
	return all
}

// A normalised column of one number is 0/sqrt(eps): rounding shows there.
var normCases = []kernelCase{
	{"LayerNorm", 50, func(b *bench, n int) {
		size := testRows * n
		b.LayerNorm(testRows, n, 1e-5, b.normal(size), b.normal(size), b.normal(testRows), b.normal(size), b.positive(n), b.normal(n))
	}},
	{"LayerNormGrad", 8, func(b *bench, n int) {
		size := testRows * n
		b.LayerNormGrad(testRows, n, b.normal(size), b.normal(n), b.normal(n), b.normal(size), b.normal(size), b.positive(testRows), b.normal(n))
	}},
	{"UnitRows", 4, func(b *bench, n int) {
		b.UnitRows(testRows, n, 1e-3, b.normal(testRows*n), b.normal(testRows), b.normal(testRows*n))
	}},
	{"UnitRowsGrad", 16, func(b *bench, n int) {
		b.UnitRowsGrad(testRows, n, b.normal(testRows*n), b.normal(testRows*n), b.normal(testRows*n), b.normal(testRows))
	}},
}

// shape is that of a matrix.
type shape struct{ rows, cols int }

// shapes lie around the parts that devices divide the columns of a matrix
// into, and the rows of such a part.
var shapes = []shape{{1, 1}, {1, 250}, {2, 7}, {2, 9}, {31, 8}, {32, 7}, {33, 1}, {33, 9}, {256, 8}, {257, 7}, {600, 1}, {600, 9}, {600, 250}}

// A shapedCase is a kernelCase for shapes. Its scale is that of sums of few
// rows.
type shapedCase struct {
	name  string
	scale float64
	call  func(b *bench, rows, cols int)
}

// overRows are the kernels that sum over rows.
var overRows = []shapedCase{
	{"ColumnSums", 2, func(b *bench, rows, cols int) { b.ColumnSums(rows, cols, b.normal(cols), b.normal(rows*cols)) }},
	{"ContractRows", 4, func(b *bench, rows, cols int) {
		b.ContractRows(rows, 7, cols, b.NewGroup(b.normal(cols)), b.normal(rows*cols), b.NewGroup(b.normal(7*cols)), b.rows(rows, 7), b.NewGroup(b.positive(cols)))
	}},
	{"ScatterAddRows", 4, func(b *bench, rows, cols int) {
		b.ScatterAddRows(rows, 7, cols, b.normal(7*cols), b.normal(rows*cols), b.rows(rows, 7))
	}},
	{"LayerNormGrad", 8, func(b *bench, rows, cols int) {
		n := rows * cols
		b.LayerNormGrad(rows, cols, b.normal(n), b.normal(cols), b.normal(cols), b.normal(n), b.normal(n), b.positive(rows), b.normal(cols))
	}},
	{"TimeEncodeGrad", 16, func(b *bench, rows, cols int) {
		b.TimeEncodeGrad(rows, cols, b.normal(cols), b.normal(cols), b.normal(rows*cols), b.normal(rows), b.normal(cols), b.normal(cols))
	}},
	{"TimeProjectGrad", 8, func(b *bench, rows, cols int) {
		n := rows * cols
		b.TimeProjectGrad(rows, cols, b.normal(n), b.normal(cols), b.normal(cols), b.normal(n), b.normal(n), b.normal(rows), b.normal(cols), b.normal(cols))
	}},
}

func checkShapes(t *testing.T, tolerance float64, devices []kernels.Device) {
	for _, c := range overRows {
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%s/%d x %d", c.name, s.rows, s.cols), func(t *testing.T) {
				same := kernelCase{c.name, c.scale, func(b *bench, _ int) { c.call(b, s.rows, s.cols) }}
				same.compare(t, s.rows, false, tolerance, devices)
			})
		}
	}
}
