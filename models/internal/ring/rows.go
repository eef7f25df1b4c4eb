package ring

import (
	"dgsbench/kernels"
	"dgsbench/models"
)

// Rows is a table on a device with a row for each place of a ring: what is
// to be known of the events there, such as their features.
type Rows struct {
	device kernels.Device
	ring   *Ring
	cols   int
	table  kernels.Buffer // nodes x size x cols

	staged kernels.Buffer
	from   kernels.Ints // events of the batch
	host   []int32
	at     kernels.Ints // places
}

// NewRows makes a table with so many columns, for batches of at most
// maxEvents and queries of at most maxEdges. Without columns all is a no-op.
func (r *Ring) NewRows(d kernels.Device, cols, maxEvents, maxEdges int) *Rows {
	return &Rows{
		device: d, ring: r, cols: cols, table: d.NewBuffer(len(r.events) * cols),
		staged: d.NewBuffer(2 * maxEvents * cols), from: d.NewInts(2 * maxEvents), host: make([]int32, 2*maxEvents),
		at: d.NewInts(max(2*maxEvents, maxEdges)),
	}
}

// Insert leaves the rows of the events that the ring inserted last: x has
// one for each.
func (t *Rows) Insert(x kernels.Buffer) {
	n := len(t.ring.places)
	if t.cols == 0 || n == 0 {
		return
	}
	for i := range n {
		t.host[i] = int32(i / 2)
	}
	t.device.WriteInts(t.from, t.host[:n])
	t.device.WriteInts(t.at, t.ring.places)
	t.device.GatherRows(n, n/2, t.cols, t.staged, x, t.from)
	t.device.ScatterRows(n, t.cols, t.table, t.staged, t.at)
}

// Gather writes the rows of the first so many edges of a graph to dst, in
// the graph's order.
func (t *Rows) Gather(g *Graph, edges int, dst kernels.Buffer) {
	if t.cols == 0 || edges == 0 {
		return
	}
	t.device.WriteInts(t.at, g.Places[:edges])
	t.device.GatherRows(edges, len(t.ring.events), t.cols, dst, t.table, t.at)
}

// Reset makes all rows zero.
func (t *Rows) Reset() { t.device.Zero(t.table.Len(), t.table) }

// Tensor copies the table, under a name.
func (t *Rows) Tensor(name string) models.Tensor {
	out := models.Tensor{Name: name, Shape: []int{len(t.ring.events), t.cols}, F32: make([]float32, t.table.Len())}
	t.device.Read(out.F32, t.table)
	return out
}

// Restore puts a table back that Tensor gave.
func (t *Rows) Restore(saved models.Tensor) error {
	own := t.Tensor(saved.Name)
	if err := models.Copy([]models.Tensor{own}, []models.Tensor{saved}); err != nil {
		return err
	}
	t.device.Write(t.table, own.F32)
	return nil
}
