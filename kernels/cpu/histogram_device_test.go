package cpu_test

import (
	"math/rand/v2"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/reference"
)

// batchOfHistograms runs every kernel once, at sizes that are divided over
// threads, and hands out what it wrote.
type batchOfHistograms struct {
	kernels.Device
	fold                          kernels.Fold
	index, found, first, to, from kernels.Ints
	x, edges, w, sums, a, b       kernels.Buffer
}

const histogramEvents, histogramFeatures, histogramBuckets, histogramUnits = 90, 172, 1720, 100

func newBatchOfHistograms(d kernels.Device) *batchOfHistograms {
	const events, features, buckets, units, nodes = histogramEvents, histogramFeatures, histogramBuckets, histogramUnits, 60
	rng := rand.New(rand.NewPCG(3, 1))
	list := func(n int, draw func(i int) int) kernels.Ints {
		host, out := make([]int32, n), d.NewInts(n)
		for i := range host {
			host[i] = int32(draw(i))
		}
		d.WriteInts(out, host)
		return out
	}
	numbers := func(n int) kernels.Buffer {
		host, out := make([]float32, n), d.NewBuffer(n)
		for i := range host {
			host[i] = float32(rng.NormFloat64())
		}
		d.Write(out, host)
		return out
	}
	node := func(int) int { return rng.IntN(nodes) }
	event := rng.Perm(events)
	return &batchOfHistograms{
		Device: d,
		fold: kernels.Fold{
			Rows: events, Cols: buckets, Nodes: nodes, Table: numbers(nodes * buckets), Self: list(events, node), Other: list(events, node),
			Events: events, Event: list(events, func(int) int { return rng.IntN(events) }),
			Keep: numbers(events), Mix: numbers(events), Hit: numbers(events),
		},
		index: list(events*features, func(i int) int { return i%features*10 + rng.IntN(10) }), found: d.NewInts(events * features),
		first: list(features, func(i int) int { return 10 * i }), to: list(events, func(i int) int { return event[i] }), from: list(events, node),
		x: numbers(events * features), edges: numbers(9 * features), w: numbers(buckets * units), sums: d.NewBuffer(events * units),
		a: d.NewBuffer(events * buckets), b: d.NewBuffer(events * buckets),
	}
}

func (h *batchOfHistograms) run() {
	const events, features, buckets, units = histogramEvents, histogramFeatures, histogramBuckets, histogramUnits
	h.Bucketize(events, features, 9, h.found, h.x, h.edges, h.first)
	h.FoldBuckets(&h.fold, h.a, h.found, features)
	h.FoldRows(&h.fold, h.b, h.a)
	h.MoveRows(events, buckets, h.a, h.to, h.b, h.from)
	h.SumRows(events, features, buckets, units, h.sums, h.w, h.index)
}

func (h *batchOfHistograms) results() []float32 {
	a, sums := make([]float32, h.a.Len()), make([]float32, h.sums.Len())
	h.Read(a, h.a)
	h.Read(sums, h.sums)
	return append(a, sums...)
}

// TestHistogramsOnThreads: any number of threads gives the same bits, those
// of the reference to within rounding, and no call allocates.
func TestHistogramsOnThreads(t *testing.T) {
	exact := newBatchOfHistograms(reference.New())
	exact.run()
	want := exact.results()
	for _, k := range cpu.Available() {
		var one []float32
		for _, threads := range []int{1, 2, 3} {
			h := newBatchOfHistograms(cpu.NewDevice(k, threads))
			h.run()
			got := h.results()
			if threads == 1 {
				one = got
				closeTo(t, threads, k, got, want, 2e-6)
			}
			sameBits(t, threads, k, got, one)
			if n := testing.AllocsPerRun(3, h.run); n > 0 {
				t.Errorf("%s, %d threads: %v allocations", k.Level(), threads, n)
			}
		}
	}
}
