package cpu_test

import (
	"testing"

	"dgsbench/kernels/cpu"
	"dgsbench/kernels/portable"
)

// BenchmarkHistogram has the sizes of a batch of 200 events with 172
// features, ten buckets each, and a head of 100 units.
func BenchmarkHistogram(b *testing.B) {
	const events, features, buckets, units, nodes = 200, 172, 1720, 100, 1000
	a := newArrays(1, false)
	index := make([]int32, events*features)
	for i := range index {
		index[i] = int32(i%features*10 + a.rng.IntN(10))
	}
	x, edges, first := a.normal(events*features), a.normal(9*features), make([]int32, features)
	w, sums, dst := a.normal(buckets*units), make([]float32, events*units), make([]float32, events*buckets)
	f := &portable.Fold[float32]{Cols: buckets, Table: a.normal(nodes * buckets), Keep: a.normal(events), Mix: a.normal(events), Hit: a.normal(events)}
	for i := range events {
		f.Self, f.Other, f.Event = append(f.Self, int32(a.rng.IntN(nodes))), append(f.Other, int32(a.rng.IntN(nodes))), append(f.Event, int32(i))
	}
	found := make([]int32, len(x))
	for _, k := range cpu.Available() {
		for name, call := range map[string]func(){
			"Bucketize":   func() { k.Bucketize(found, x, edges, first) },
			"SumRows":     func() { k.SumRows(sums, units, w, index, features) },
			"FoldBuckets": func() { k.FoldBuckets(dst, f, index, features) },
		} {
			b.Run(name+"/"+k.Level().String(), func(b *testing.B) {
				for b.Loop() {
					call()
				}
			})
		}
	}
}
