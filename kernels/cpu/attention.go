package cpu

import (
	"fmt"

	"dgsbench/kernels/portable"
)

// Attention is the element-wise part of attention over a ragged list of
// edges; see [portable.Attention].
type Attention = portable.Attention[float32]

// AttentionGrad are the gradients of an Attention; see
// [portable.AttentionGrad].
type AttentionGrad = portable.AttentionGrad[float32]

// Attend computes the weights and the output of a; see [portable.Attention]
// for the formulas. Edges and sums are taken in order.
func (k Kernels) Attend(a *Attention) {
	checkAttention(a)
	portable.Attend(k, a)
}

// AttendGrad computes the gradients of a, which Attend has run; see
// [portable.AttendGrad].
func (k Kernels) AttendGrad(a *Attention, g *AttentionGrad) {
	checkAttention(a)
	same("AttendGrad", len(a.Q), len(g.Out), len(g.Q))
	same("AttendGrad", len(a.K), len(g.K), len(g.V))
	same("AttendGrad", len(a.E), len(g.E))
	same("AttendGrad", len(a.Weights), len(g.Scores))
	portable.AttendGrad(k, a, g)
}

// EdgeGrad is one head of one edge of AttendGrad; see [portable.EdgeGrad].
func (k Kernels) EdgeGrad(dq, dk, dv, de, q, key, e, out []float32, score, weight float32) {
	same("EdgeGrad", len(q), len(dq), len(dk), len(dv), len(de), len(key), len(e), len(out))
	switch k.level {
	case AVX512:
		edgeGradAVX512(dq, dk, dv, de, q, key, e, out, score, weight)
	case AVX2:
		edgeGradAVX2(dq, dk, dv, de, q, key, e, out, score, weight)
	default:
		portable.EdgeGrad(dq, dk, dv, de, q, key, e, out, score, weight)
	}
}

func checkAttention(a *Attention) {
	width, edges := a.Heads*a.Channels, len(a.Index)
	if len(a.Offsets) == 0 || a.Offsets[0] != 0 || int(a.Offsets[len(a.Offsets)-1]) > edges {
		panic(fmt.Sprintf("cpu: Attend: offsets do not run from 0 to at most the number of edges, %d", edges))
	}
	same("Attend", (len(a.Offsets)-1)*width, len(a.Q), len(a.Out))
	same("Attend", len(a.K), len(a.V))
	same("Attend", edges*width, len(a.E))
	same("Attend", edges*a.Heads, len(a.Weights))
	if a.Drop != nil {
		same("Attend", edges*a.Heads, len(a.Drop))
	}
}
