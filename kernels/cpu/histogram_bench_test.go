package cpu_test

import (
	"testing"

	"dgsbench/kernels"
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
	x, edges, first := a.buffer(events*features), a.buffer(9*features), make(portable.Ints, features)
	w, sums, dst := a.normal(buckets*units), make([]float32, events*units), make(numbers, events*buckets)
	var self, other, event portable.Ints
	for i := range events {
		self, other, event = append(self, int32(a.rng.IntN(nodes))), append(other, int32(a.rng.IntN(nodes))), append(event, int32(i))
	}
	f := &kernels.Fold{
		Rows: events, Cols: buckets, Nodes: nodes, Table: a.buffer(nodes * buckets), Self: self, Other: other,
		Events: events, Event: event, Keep: a.buffer(events), Mix: a.buffer(events), Hit: a.buffer(events),
	}
	found := make(portable.Ints, events*features)
	for _, k := range cpu.Available() {
		for name, call := range map[string]func(){
			"Bucketize":   func() { on(k).Bucketize(events, features, 9, found, x, edges, first) },
			"SumRows":     func() { k.SumRows(sums, units, w, index, features) },
			"FoldBuckets": func() { on(k).FoldBuckets(f, dst, portable.Ints(index), features) },
		} {
			b.Run(name+"/"+k.Level().String(), func(b *testing.B) {
				for b.Loop() {
					call()
				}
			})
		}
	}
}
