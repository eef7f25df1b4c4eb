package graphsprints

import (
	"dgsbench/kernels"
	"dgsbench/models"
)

// Deploy gives a copy of the model that keeps, per node, the product of its
// histograms with the head's first matrix W1 instead of the histograms: for
// link prediction one product with the rows of W1 for sources, and one with
// those for destinations. The head's first matrix then only hands on what it
// is given, so that all that follows (bias, norm, further layers, ranking) is
// as before.
//
// The copy is on the same device as the model: both belong to one goroutine.
func (m *Model) Deploy() (models.Model, error) {
	if m.states.projection != nil {
		return nil, models.ErrDeployed
	}
	p := m.projectionOfHead()
	lean, err := newOn(m.device, m.setup, m.opts, m.states.buckets, p)
	if err != nil {
		return nil, err
	}
	lean.params, lean.parts = m.params, m.parts
	params := m.head.Tensors()
	params[0] = handOn(params[0], m.states.cols)
	if err := lean.head.Restore(params); err != nil {
		return nil, err
	}
	from, to := m.states, lean.states
	m.device.Gemm(kernels.NN, from.nodes, p.cols, from.cols, from.table, p.w, to.table, nil, false)
	return lean, models.Copy(to.forget.tensors(), from.forget.tensors())
}

// projectionOfHead is the head's first matrix; where it takes two states,
// its two halves stand side by side.
func (m *Model) projectionOfHead() *projection {
	w1 := m.head.Tensors()[0]
	buckets, units := m.states.cols, w1.Shape[1]
	parts := w1.Shape[0] / buckets
	p := newProjection(m.device, buckets, parts*units, m.setup.MaxBatch)
	w := make([]float32, len(w1.F32))
	for i := range w1.Shape[0] {
		part, bucket := i/buckets, i%buckets
		copy(w[bucket*p.cols+part*units:][:units], w1.F32[i*units:])
	}
	m.device.Write(p.w, w)
	return p
}

// handOn is the first matrix of a deployed head: ones take from each of the
// states that it is given the part that is for its place.
func handOn(w1 models.Tensor, buckets int) models.Tensor {
	units := w1.Shape[1]
	parts := w1.Shape[0] / buckets
	out := models.Tensor{Name: w1.Name, Shape: []int{parts * parts * units, units}, F32: make([]float32, parts*parts*units*units)}
	for place := range parts {
		first := (place*parts + place) * units
		for j := range units {
			out.F32[(first+j)*units+j] = 1
		}
	}
	return out
}
