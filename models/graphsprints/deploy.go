package graphsprints

import (
	"dgsbench/kernels"
	"dgsbench/models"
)

// projection is a matrix W by which histograms are multiplied. The update
// rule is linear in them with scalar factors, so a product S W obeys it, too,
// with delta(F) W in place of delta(F): the sum of the rows of W that belong
// to the event's buckets.
type projection struct {
	buckets, cols int
	w             kernels.Buffer // buckets x cols
	sums          kernels.Buffer // delta(F) W of the events of a batch
}

func newProjection(d kernels.Device, buckets, cols, maxBatch int) *projection {
	return &projection{buckets: buckets, cols: cols, w: d.NewBuffer(buckets * cols), sums: d.NewBuffer(maxBatch * cols)}
}

// Deploy returns a copy of the model that keeps, per node, the product of its
// histograms with the head's first matrix W1 instead of the histograms: for
// link prediction one product with the rows of W1 for sources, and one with
// those for destinations. The head's first matrix becomes an identity, so that
// all that follows (bias, norm, further layers, ranking) is as before.
//
// The copy is on the same device as the model: both belong to one goroutine.
func (m *Model) Deploy() (models.Model, error) {
	if m.states.projection != nil {
		return nil, models.ErrDeployed
	}
	params := m.fields().Tensors()
	w1 := params[0]
	cols, units := m.states.cols, w1.Shape[1]
	ends := w1.Shape[0] / cols // states that the head reads: 1, or 2 for links

	// W is W1; for links its two halves stand side by side.
	p := newProjection(m.device, cols, ends*units, m.setup.MaxBatch)
	w := make([]float32, len(w1.F32))
	for i := range w1.Shape[0] {
		end, bucket := i/cols, i%cols
		copy(w[bucket*p.cols+end*units:][:units], w1.F32[i*units:])
	}
	m.device.Write(p.w, w)

	lean := newOn(m.device, m.setup, m.opts, m.states.buckets, p)
	lean.params, lean.parts = m.params, m.parts
	params[0] = selection(w1.Name, ends, units)
	models.ParamsOf(lean.head.Network).Set(params)
	from, to := m.states, lean.states
	m.device.Gemm(kernels.NN, from.nodes, p.cols, from.cols, from.table, p.w, to.table, nil, false)
	return lean, nil
}

// selection returns the first matrix of a deployed head: of each projected
// state it takes the product that belongs to that end.
func selection(name string, ends, units int) models.Tensor {
	out := models.Tensor{Name: name, Shape: []int{ends * ends * units, units}, F32: make([]float32, ends*ends*units*units)}
	for end := range ends {
		first := (end*ends + end) * units
		for j := range units {
			out.F32[(first+j)*units+j] = 1
		}
	}
	return out
}
