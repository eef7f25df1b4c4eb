package memory_test

import (
	"fmt"
	"math"
	"slices"

	"dgsbench/datasets"
)

// plainAttention is TGN's layers of attention in loops over a log of all
// events.
type plainAttention struct {
	params     map[string][]float64
	updated    []float64
	log        datasets.Stream
	neighbours int
	heads      int
}

// plainEdge is an event as one of its nodes sees it.
type plainEdge struct {
	other    int32
	features []float64 // cos of the time to the other's last update, then the event's
}

// edges are the node's last events, whatever the order of a sum.
func (a *plainAttention) edges(node int32) []plainEdge {
	var out []plainEdge
	for k := a.log.Len() - 1; k >= 0 && len(out) < a.neighbours; k-- {
		src, dst := a.log.Src[k], a.log.Dst[k]
		if src != node && dst != node {
			continue
		}
		e := plainEdge{other: src ^ dst ^ node}
		for j, w := range a.params["time_enc.w"] {
			e.features = append(e.features, math.Cos(w*(a.updated[e.other]-a.log.Time[k])+a.params["time_enc.b"][j]))
		}
		for _, x := range a.log.Features(k) {
			e.features = append(e.features, float64(x))
		}
		out = append(out, e)
	}
	return out
}

// embed returns the node's vector after the given number of layers on top of
// memories.
func (a *plainAttention) embed(node int32, layers int, memories [][]float64) []float64 {
	if layers == 0 {
		return memories[node]
	}
	name := "conv."
	if layers > 1 {
		name = fmt.Sprintf("conv%d.", layers)
	}
	dense := func(x []float64, what string) []float64 {
		return affine(x, a.params[name+what+".weight"], a.params[name+what+".bias"])
	}
	centre := a.embed(node, layers-1, memories)
	query, out := dense(centre, "lin_query"), dense(centre, "lin_skip")
	var keys, values [][]float64
	for _, e := range a.edges(node) {
		z := a.embed(e.other, layers-1, memories)
		edge := affine(e.features, a.params[name+"lin_edge.weight"], make([]float64, len(out)))
		keys, values = append(keys, plus(dense(z, "lin_key"), edge)), append(values, plus(dense(z, "lin_value"), edge))
	}
	columns := len(out) / a.heads
	for from := 0; from < len(out); from += columns {
		for i, share := range shares(query[from:from+columns], keys, from) {
			for j := from; j < from+columns; j++ {
				out[j] += share * values[i][j]
			}
		}
	}
	return out
}

// shares are the softmax of a head's products of query and keys; the head's
// columns of the keys start at from.
func shares(query []float64, keys [][]float64, from int) []float64 {
	out, sum := make([]float64, len(keys)), 0.0
	for i, key := range keys {
		product := 0.0
		for j, q := range query {
			product += q * key[from+j]
		}
		out[i] = math.Exp(product / math.Sqrt(float64(len(query))))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func plus(x, y []float64) []float64 {
	out := slices.Clone(x)
	for i := range out {
		out[i] += y[i]
	}
	return out
}
