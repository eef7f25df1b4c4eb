package tpnet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
	drawn      [2]int64       // seed of the projections, and their dimension
	projection []float32      // order 0: nodes x dimension
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

// furthest is the largest decay (now-origin) at which the origin stays.
const furthest = 1

// largest limits the numbers of the table, so that sums of their products stay
// finite. Walks beyond it are not counted.
const largest = nn.Largest

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
	w.drawn = [2]int64{nn.Rand(s.Seed, ForProjections).Int64(), int64(o.Dimension)}
	w.project()
	w.reset()
	return w
}

// ForProjections are the draws of the projections.
const ForProjections nn.Purpose = "projections"

// project draws the projection of each node, which does not depend on how many there
// are: independent normal deviates with variance 1/dimension.
func (w *walks) project() {
	source := rand.NewPCG(0, 0)
	rng := rand.New(source)
	for v := range w.nodes {
		source.Seed(uint64(w.drawn[0]), uint64(v))
		for i := range w.dimension {
			w.projection[v*w.dimension+i] = float32(rng.NormFloat64() / math.Sqrt(float64(w.dimension)))
		}
	}
}

func (w *walks) columns() int { return (w.orders + 1) * w.dimension }

// row is the table's of a node.
func (w *walks) row(node int32) kernels.Buffer {
	return w.device.View(w.table, int(node)*w.columns(), w.columns())
}

// reset leaves no walks but those of no steps.
func (w *walks) reset() {
	w.set(make([]float32, w.nodes*w.orders*w.dimension))
	w.clock = [2]float64{models.Never, models.Never}
}

// fold adds the steps of the batch, all of them to the walks from before it. It
// reports whether the origin has moved, which changes all rows.
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
	w.device.GatherRows(2*n, w.nodes, cols, w.from, w.table, w.self)
	w.device.Clamp(2*n*cols, w.from, -largest, largest)
	w.device.ScatterRows(2*n, cols, w.table, w.from, w.self) // a node's rows are all alike
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
	age := w.clock[now] - w.clock[origin]
	if !(age > 0) {
		age = 0 // before the first event, or in an earlier stream
	}
	for k := range all {
		all[k] = math.Exp(-w.decay * float64(k) * age)
	}
	return all
}

// set replaces the table, of which order 0 is the projection and longer are the others.
func (w *walks) set(longer []float32) {
	table, d := make([]float32, 0, w.table.Len()), w.dimension
	for v := range w.nodes {
		table = append(table, w.projection[v*d:][:d]...)
		table = append(table, longer[v*w.orders*d:][:w.orders*d]...)
	}
	w.device.Write(w.table, table)
}

// longer returns orders 1 and more of all nodes.
func (w *walks) longer() []float32 {
	all, cols := make([]float32, w.table.Len()), w.columns()
	w.device.Read(all, w.table)
	out := make([]float32, 0, w.nodes*w.orders*w.dimension)
	for row := range slices.Chunk(all, cols) {
		out = append(out, row[w.dimension:]...)
	}
	return out
}

// params say what the projections are: they are not learned, but those of another
// model are others.
func (w *walks) params() models.Fields {
	f := models.Integers("projections", w.drawn[:], 0, math.MaxInt64)
	set := f.Set
	f.Check = func(saved []models.Tensor) error {
		if seed, dimension := saved[0].I64[0], saved[0].I64[1]; seed < 0 || dimension != w.drawn[1] {
			return fmt.Errorf("snapshot tensor %s has the seed %d and the dimension %d, expected %d dimensions", saved[0], seed, dimension, w.drawn[1])
		}
		return nil
	}
	f.Set = func(saved models.Tensor) {
		if saved.I64[0] != w.drawn[0] {
			set(saved)
			w.project()
			w.set(w.longer())
		}
	}
	return models.Fields{f}
}

func (w *walks) fields() models.Fields {
	table := models.Field{
		Name: "walks", Shape: []int{w.nodes, w.orders * w.dimension}, Floats: w.longer,
		Check: models.Within, Set: func(saved models.Tensor) { w.set(saved.F32) },
	}
	clock := models.Times("clock", w.clock[:], largest)
	clock.Check = func(saved []models.Tensor) error {
		if never := int64(math.Float64bits(models.Never)); saved[0].I64[origin] == never && saved[0].I64[now] == never {
			return nil
		}
		return models.CheckTimes(saved[0], largest)
	}
	return models.Fields{table, clock}
}
