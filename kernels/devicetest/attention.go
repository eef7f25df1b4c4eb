package devicetest

import (
	"fmt"

	"dgsbench/kernels"
)

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
