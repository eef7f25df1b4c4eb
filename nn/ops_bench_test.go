package nn

import (
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"

	G "gorgonia.org/gorgonia"
)

// benchmarkOp times forward and gradients of the largest batch, on one
// thread: what "train" runs.
func benchmarkOp(b *testing.B, test opTest) {
	for _, k := range cpu.Available() {
		b.Run(k.Level().String(), func(b *testing.B) {
			bench := newOpBench(b, cpu.NewDevice(k, 1), test)
			bench.batches[0]()
			for b.Loop() {
				bench.train.Run()
			}
		})
	}
}

// BenchmarkGRU is TGN's memory of a batch of 200 events on Wikipedia: 400
// nodes, messages of 472 columns, M = 100.
func BenchmarkGRU(b *testing.B) {
	benchmarkOp(b, func(o *opBench) (*G.Node, []func()) {
		const in, units = 472, 100
		rows := NewRows(400)
		out := GRU(o.leaf("a", rows, in), o.leaf("q", rows, units), o.param("wi", in, 3*units), o.param("wh", units, 3*units),
			o.param("bi", 3*units), o.param("bh", 3*units))
		return out, []func(){func() {}}
	})
}

// BenchmarkNeighbourAttention is TGN's attention: 400 nodes with ten
// neighbours each, 272 columns of time and features.
func BenchmarkNeighbourAttention(b *testing.B) {
	benchmarkOp(b, func(o *opBench) (*G.Node, []func()) {
		const nodes, degree, dim, features = 400, 10, 100, 272
		rows, edges := NewRows(nodes), NewRows(nodes*degree)
		z := o.input("z", rows, dim)
		list := Neighbours{Offsets: o.graph.Offsets("offsets", rows), Index: o.graph.Index("index", edges)}
		out := NeighbourAttention(z, z, Linear(o.leaf("edges", edges, features), o.param("we", features, dim)), list, AttentionParams{
			Heads: 2,
			Query: o.param("wq", dim, dim), QueryBias: o.param("bq", dim), Key: o.param("wk", dim, dim), KeyBias: o.param("bk", dim),
			Value: o.param("wv", dim, dim), ValueBias: o.param("bv", dim), Skip: o.param("ws", dim, dim), SkipBias: o.param("bs", dim),
		})
		return out, []func(){func() { o.writeRegular(list, nodes, degree) }}
	})
}

// BenchmarkAttend is the ragged part of it alone.
func BenchmarkAttend(b *testing.B) {
	benchmarkOp(b, func(o *opBench) (*G.Node, []func()) {
		const nodes, degree, dim = 400, 10, 100
		rows, edges := NewRows(nodes), NewRows(nodes*degree)
		list := Neighbours{Offsets: o.graph.Offsets("offsets", rows), Index: o.graph.Index("index", edges)}
		out := Attend(o.input("q", rows, dim), o.input("k", rows, dim), o.input("v", rows, dim), o.input("e", edges, dim), list, 2)
		return out, []func(){func() { o.writeRegular(list, nodes, degree) }}
	})
}

// writeRegular gives every node equally many neighbours.
func (b *opBench) writeRegular(list Neighbours, nodes, degree int) {
	offsets, index := make([]int32, nodes+1), make([]int32, nodes*degree)
	for e := range index {
		index[e] = int32(e * 37 % nodes)
	}
	for i := range offsets {
		offsets[i] = int32(i * degree)
	}
	b.write(list.Offsets, offsets...)
	b.write(list.Index, index...)
}

// BenchmarkDeepPairs ranks all nodes of Wikipedia for ten events, by a head of two
// hidden layers.
func BenchmarkDeepPairs(b *testing.B) {
	const nodes, size, events = 9228, 250, 10
	d := cpu.NewDevice(cpu.Best(), 1)
	p := newProblem(b, d, 2*size, 1, MLPConfig{Hidden: []int{95, 95}}, 1)
	head := NewPairHead(d, p.mlp.PairLayers(size), nodes, events)
	head.SetLeft(events)
	q := kernels.Ranking{True: make([]int32, events)}
	greater, equal := make([]int32, events), make([]int32, events)
	for b.Loop() {
		head.Rank(q, greater, equal)
	}
}
