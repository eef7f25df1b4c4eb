package devicetest

import (
	"fmt"

	"dgsbench/kernels"
)

// elementaryCases are of vectors, as one row.
var elementaryCases = []kernelCase{
	{"Zero", 1, func(b *bench, _, n int) { b.Zero(n, b.normal(n)) }},
	{"Add", 1, func(b *bench, _, n int) { b.Add(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"Add in place", 1, func(b *bench, _, n int) { x := b.normal(n); b.Add(n, x, x, b.normal(n)) }},
	{"Mul", 1, func(b *bench, _, n int) { b.Mul(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"Mul in place", 1, func(b *bench, _, n int) { x := b.normal(n); b.Mul(n, x, b.normal(n), x); b.Mul(n, x, x, b.normal(n)) }},
	{"Affine", 1, func(b *bench, _, n int) { b.Affine(n, b.normal(n), -1.5, b.normal(n), .25) }},
	{"Affine in place", 1, func(b *bench, _, n int) { x := b.normal(n); b.Affine(n, x, -1.5, x, .25) }},
	{"AddReLU in place", 1, func(b *bench, _, n int) { x := b.normal(n); b.AddReLU(n, x, b.normal(n), x) }},
	{"AddReLU", 1, func(b *bench, _, n int) { b.AddReLU(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"ReLUGrad", 1, func(b *bench, _, n int) { b.ReLUGrad(n, b.normal(n), b.normal(n), b.normal(n)) }},
	{"Clamp", 1, func(b *bench, _, n int) { b.Clamp(n, b.normal(n), -.5, .75) }},
	{"BCE", 1, func(b *bench, _, n int) { b.BCE(n, b.normal(1), b.normal(n), b.positive(n), b.positive(n)) }},
	{"BCEGrad", 1, func(b *bench, _, n int) {
		b.BCEGrad(n, b.normal(n), b.normal(n), b.positive(n), b.positive(n), b.positive(1))
	}},
	{"Sigmoid", 1, func(b *bench, _, n int) { b.Sigmoid(n, b.normal(n), b.normal(n)) }},
	{"SigmoidGrad", 1, func(b *bench, _, n int) { b.SigmoidGrad(n, b.normal(n), b.normal(n), b.normal(n)) }},
}

// gemmCases have products of the size in each of their three dimensions.
func gemmCases() []kernelCase {
	var all []kernelCase
	for name, op := range map[string]kernels.Op{"NN": kernels.NN, "NT": kernels.NT, "TN": kernels.TN} {
		for _, finish := range []bool{false, true} {
			all = append(all, kernelCase{fmt.Sprintf("Gemm/%s bias and ReLU %t", name, finish), 8, func(b *bench, _, n int) {
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

// rowCases take rows of tables with seven.
var rowCases = []kernelCase{
	{"GatherRows", 1, func(b *bench, rows, cols int) {
		b.GatherRows(rows, 7, cols, b.normal(rows*cols), b.normal(7*cols), b.rows(rows, 7))
	}},
	{"ScatterRows", 1, func(b *bench, rows, cols int) {
		b.ScatterRows(rows, cols, b.normal(7*cols), b.normal(rows*cols), b.rows(rows, 7))
	}},
	{"PutRows", 1, func(b *bench, _, n int) {
		b.PutRows(9, n, b.normal(7*n), b.normal(9*n), b.list(6, -1, 0, 3, -1, -1, 2, -1, 1))
	}},
	{"CopyRows", 1, func(b *bench, rows, cols int) {
		b.CopyRows(rows, cols, b.normal(rows*(cols+1)), cols+1, b.normal(rows*(cols+2)), cols+2)
	}},
	{"CopyRows that ends with its rows", 1, func(b *bench, _, n int) {
		b.CopyRows(4, n, b.normal(4*n), n, b.normal(3*(n+2)+n), n+2)
	}},
	{"CommitRows", 1, func(b *bench, rows, cols int) {
		b.CommitRows(rows, cols, b.NewGroup(b.normal(7*cols), b.normal(7*cols)), b.NewGroup(b.normal(rows*cols), b.normal(rows*cols)), b.rows(rows, 7))
	}},
	{"ContractRows without factors", 4, func(b *bench, _, n int) {
		b.ContractRows(4, 7, n, b.NewGroup(b.normal(n)), b.normal(4*n), b.NewGroup(b.normal(7*n)), b.list(6, 0, 3, 3), nil)
	}},
}

// Times are of the size of real ones after scaling; the encoding rounds its
// argument before the cosine.
var recurrentCases = []kernelCase{
	{"GRUCell", 1, func(b *bench, rows, cols int) {
		n := rows * cols
		b.GRUCell(rows, cols, b.normal(n), b.normal(3*n), b.normal(3*n), b.normal(3*n), b.normal(n))
	}},
	{"GRUCellGrad", 2, func(b *bench, rows, cols int) {
		n := rows * cols
		b.GRUCellGrad(rows, cols, b.normal(3*n), b.normal(3*n), b.normal(n), b.normal(n), b.positive(3*n), b.normal(3*n), b.normal(n))
	}},
	{"TimeEncode", 4, func(b *bench, rows, cols int) {
		b.TimeEncode(rows, cols, b.normal(rows*cols), b.normal(rows), b.normal(cols), b.normal(cols))
	}},
	{"TimeProject", 4, func(b *bench, rows, cols int) {
		b.TimeProject(rows, cols, b.normal(rows*cols), b.normal(rows*cols), b.normal(rows), b.normal(cols), b.normal(cols))
	}},
}

// attentionCases have heads of n channels, and centres of n edges.
func attentionCases() []kernelCase {
	var all []kernelCase
	for _, dropout := range []bool{false, true} {
		for name, draw := range map[string]func(b *bench, n int, dropout bool) *kernels.Attention{"channels": wideAttention, "edges": longAttention} {
			all = append(all,
				kernelCase{fmt.Sprintf("Attend/%s, dropout %t", name, dropout), 8, func(b *bench, _, n int) { b.Attend(draw(b, n, dropout)) }},
				kernelCase{fmt.Sprintf("AttendGrad/%s, dropout %t", name, dropout), 16, func(b *bench, _, n int) {
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
			all = append(all, kernelCase{fmt.Sprintf("%s/%d", name, h), scale, func(b *bench, _, n int) { call(b, n*h) }})
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

// A normalised column of one number is 0/sqrt(eps): rounding is large there.
var normCases = []kernelCase{
	{"LayerNorm", 50, func(b *bench, rows, cols int) {
		n := rows * cols
		b.LayerNorm(rows, cols, 1e-5, b.normal(n), b.normal(n), b.normal(rows), b.normal(n), b.positive(cols), b.normal(cols))
	}},
	{"UnitRows", 4, func(b *bench, rows, cols int) {
		b.UnitRows(rows, cols, 1e-3, b.normal(rows*cols), b.normal(rows), b.normal(rows*cols))
	}},
}

// overRows are the kernels that sum over rows.
var overRows = []kernelCase{
	{"ColumnSums", 2, func(b *bench, rows, cols int) { b.ColumnSums(rows, cols, b.normal(cols), b.normal(rows*cols)) }},
	{"ContractRows", 4, func(b *bench, rows, cols int) {
		group := func(draw func(int) kernels.Buffer, n int) kernels.Group { return b.NewGroup(draw(n), draw(n), draw(n)) }
		b.ContractRows(rows, 7, cols, group(b.normal, cols), b.normal(rows*cols), group(b.normal, 7*cols), b.rows(rows, 7), group(b.positive, cols))
	}},
	{"ScatterAddRows", 4, func(b *bench, rows, cols int) {
		b.ScatterAddRows(rows, 7, cols, b.normal(7*cols), b.normal(rows*cols), b.rows(rows, 7))
	}},
	{"TimeEncodeGrad", 16, func(b *bench, rows, cols int) {
		b.TimeEncodeGrad(rows, cols, b.normal(cols), b.normal(cols), b.normal(rows*cols), b.normal(rows), b.normal(cols), b.normal(cols))
	}},
	{"TimeProjectGrad", 8, func(b *bench, rows, cols int) {
		n := rows * cols
		b.TimeProjectGrad(rows, cols, b.normal(n), b.normal(cols), b.normal(cols), b.normal(n), b.normal(n), b.normal(rows), b.normal(cols), b.normal(cols))
	}},
}

// normGradCases sum over rows or columns. Of many special numbers the order
// decides whether a sum is NaN or infinite.
var normGradCases = []kernelCase{
	{"UnitRowsGrad", 16, func(b *bench, rows, cols int) {
		b.UnitRowsGrad(rows, cols, b.normal(rows*cols), b.normal(rows*cols), b.normal(rows*cols), b.normal(rows))
	}},
	{"LayerNormGrad", 8, func(b *bench, rows, cols int) {
		n := rows * cols
		b.LayerNormGrad(rows, cols, b.normal(n), b.normal(cols), b.normal(cols), b.normal(n), b.normal(n), b.positive(rows), b.normal(cols))
	}},
}
