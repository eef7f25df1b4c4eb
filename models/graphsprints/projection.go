package graphsprints

import (
	"dgsbench/datasets"
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

// sum projects what every event brings, whose buckets were found.
func (p *projection) sum(d kernels.Device, b datasets.Stream, found kernels.Ints) {
	d.SumRows(b.Len(), b.NumFeat, p.buckets, p.cols, p.sums, p.w, found)
}

// tensor copies the matrix.
func (p *projection) tensor(d kernels.Device) models.Tensor {
	t := models.Tensor{Name: "projection", Shape: []int{p.buckets, p.cols}, F32: make([]float32, p.buckets*p.cols)}
	d.Read(t.F32, p.w)
	return t
}
