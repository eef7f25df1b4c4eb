package tpnet

import (
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// walks are the random projections of the temporal walk matrices (section 4.1 of the
// paper): row v of order k is the sum over all walks of k steps back in time from v,
// each with the product of exp(-decay age) over its steps, of the projection of the
// node where it ends.
//
// What the table has of order k is exp(k decay (now-origin)) times that, so that
// nothing decays but when the origin is moved: an event of u and v at t adds
// exp(decay (t-origin)) times order k-1 of v to order k of u, and the other way round.
type walks struct {
	device    kernels.Device
	nodes     int
	orders    int
	dimension int
	decay     float64

	table      kernels.Buffer // a row a node: orders 0 to orders of dimension numbers
	projection []float32      // order 0, which does not change: nodes x dimension
	clock      [2]float64     // origin and now, the time of the last event, seconds; Never before the first event

	// Scratch of a batch: each event is two rows, that of its source first.
	self, other kernels.Ints
	ids         [2][]int32
	from, added kernels.Buffer // states of the other nodes, and the same one order higher
}

// The entries of clock.
const (
	origin = iota
	now
)

// furthest is the largest decay (now-origin) at which the origin stays: numbers of
// order 4 grow by exp(16).
const furthest = 4

func newWalks(d kernels.Device, s models.Setup, o *Options) *walks {
	w := &walks{
		device: d, nodes: s.NumNodes, orders: o.Orders, dimension: o.Dimension, decay: o.Decay,
		projection: make([]float32, s.NumNodes*o.Dimension),
		self:       d.NewInts(2 * s.MaxBatch), other: d.NewInts(2 * s.MaxBatch),
	}
	w.table = d.NewBuffer(s.NumNodes * w.columns())
	w.from, w.added = d.NewBuffer(2*s.MaxBatch*w.columns()), d.NewBuffer(2*s.MaxBatch*w.columns())
	for i := range w.ids {
		w.ids[i] = make([]int32, 2*s.MaxBatch)
	}
	rng := nn.Rand(s.Seed, ForProjections)
	for i := range w.projection {
		w.projection[i] = float32(rng.NormFloat64() / math.Sqrt(float64(o.Dimension)))
	}
	w.reset()
	return w
}

// ForProjections are the draws of the projections.
const ForProjections nn.Purpose = "projections"

func (w *walks) columns() int { return (w.orders + 1) * w.dimension }

// row is the table's of a node.
func (w *walks) row(node int32) kernels.Buffer {
	return w.device.View(w.table, int(node)*w.columns(), w.columns())
}

// reset leaves no walks but those of no steps.
func (w *walks) reset() {
	w.device.Zero(w.table.Len(), w.table)
	for v := range w.nodes {
		w.device.Write(w.row(int32(v)), w.projection[v*w.dimension:][:w.dimension])
	}
	w.clock = [2]float64{models.Never, models.Never}
}

// fold adds the steps of the batch, all of them to the walks from before it. It
// reports whether the origin has moved, so that all rows are others.
func (w *walks) fold(b datasets.Stream) (moved bool) {
	n, cols := b.Len(), w.columns()
	w.clock[now] = b.Time[n-1]
	if math.IsNaN(w.clock[origin]) {
		w.clock[origin] = b.Time[0]
	}
	if w.decay*(w.clock[now]-w.clock[origin]) > furthest {
		w.move(w.clock[now])
		moved = true
	}
	for k := range n {
		w.ids[0][2*k], w.ids[0][2*k+1] = b.Src[k], b.Dst[k]
		w.ids[1][2*k], w.ids[1][2*k+1] = b.Dst[k], b.Src[k]
	}
	w.device.WriteInts(w.self, w.ids[0][:2*n])
	w.device.WriteInts(w.other, w.ids[1][:2*n])
	w.device.GatherRows(2*n, w.nodes, cols, w.from, w.table, w.other)
	w.device.CopyRows(2*n, cols-w.dimension, w.device.View(w.added, w.dimension, w.added.Len()-w.dimension), cols, w.from, cols)
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && b.Time[hi] == b.Time[lo] {
			hi++
		}
		rows := w.device.View(w.added, 2*lo*cols, 2*(hi-lo)*cols)
		w.device.Affine(rows.Len(), rows, math.Exp(w.decay*(b.Time[lo]-w.clock[origin])), rows, 0)
		lo = hi
	}
	w.device.ScatterAddRows(2*n, w.nodes, cols, w.table, w.added, w.self)
	return moved
}

// move makes a time the origin.
func (w *walks) move(to float64) {
	cols, some := w.columns(), w.from.Len()/w.dimension
	for k := 1; k <= w.orders; k++ {
		factor := math.Exp(-w.decay * float64(k) * (to - w.clock[origin]))
		for lo := 0; lo < w.nodes; lo += some {
			rows := min(some, w.nodes-lo)
			at := lo*cols + k*w.dimension
			of := w.device.View(w.table, at, w.table.Len()-at)
			w.device.CopyRows(rows, w.dimension, w.from, w.dimension, of, cols)
			w.device.Affine(rows*w.dimension, w.from, factor, w.from, 0)
			w.device.CopyRows(rows, w.dimension, of, cols, w.from, w.dimension)
		}
	}
	w.clock[origin] = to
}

// decays are, for k = 0 to 2 orders, what a product of orders that add up to k has to
// be multiplied by to be that of now.
func (w *walks) decays() []float64 {
	all := make([]float64, 2*w.orders+1)
	for k := range all {
		all[k] = 1
		if age := w.clock[now] - w.clock[origin]; age > 0 { // not before the first event
			all[k] = math.Exp(-w.decay * float64(k) * age)
		}
	}
	return all
}

// params is the projection: fixed, but other models have another one.
func (w *walks) params() models.Fields {
	f := models.Floats("projection", w.projection, w.nodes, w.dimension)
	f.Check = within(largestProjection)
	return models.Fields{f}
}

// Limits of numbers in snapshots: a normal deviate, and a number whose square over all
// dimensions is finite.
const largestProjection, largestWalk = 100, 1e17

func (w *walks) fields() models.Fields {
	table := models.OnDevice("walks", w.device, w.table, w.nodes, w.columns())
	table.Check = within(largestWalk)
	clock := models.Times("clock", w.clock[:], math.MaxFloat64)
	clock.Check = func(saved []models.Tensor) error {
		if never := int64(math.Float64bits(models.Never)); saved[0].I64[origin] == never && saved[0].I64[now] == never {
			return nil
		}
		return models.CheckTimes(saved[0], math.MaxFloat64)
	}
	return models.Fields{table, clock}
}

func within(limit float32) func(saved []models.Tensor) error {
	return func(saved []models.Tensor) error {
		for i, x := range saved[0].F32 {
			if x > limit || x < -limit {
				return fmt.Errorf("snapshot tensor %s: number %d is %v, expected one within ±%g", saved[0], i, x, limit)
			}
		}
		return nil
	}
}
