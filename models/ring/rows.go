package ring

import (
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/nn"
)

// Rows is a table on a device with a row for each place of a ring: what is
// to be known of the events there, such as their features.
type Rows struct {
	device kernels.Device
	ring   *Ring
	cols   int
	table  kernels.Buffer // nodes x size x cols

	// Of the events that the ring inserted last: where each is left, and its
	// number in the batch.
	at, from []int32
	move     *nn.Move
}

// NewRows makes a table with cols columns, for batches of at most
// maxEvents. Without columns all is a no-op.
func (r *Ring) NewRows(d kernels.Device, cols, maxEvents int) *Rows {
	return &Rows{
		device: d, ring: r, cols: cols, table: d.NewBuffer(len(r.events) * cols),
		move: nn.NewMove(d, 2*maxEvents, cols),
	}
}

// Cols is how many columns there are.
func (t *Rows) Cols() int { return t.cols }

// Table is where the rows are: that of a place has its number.
func (t *Rows) Table() kernels.Buffer { return t.table }

// Insert leaves the rows of the events that the ring inserted last: x has
// one for each.
func (t *Rows) Insert(x kernels.Buffer) {
	if t.cols == 0 || len(t.ring.places) == 0 {
		return
	}
	t.list()
	t.move.Run(t.table, t.at, x, t.from)
}

// list lists the places once each, even where a later event of the batch has
// taken an earlier one's.
func (t *Rows) list() {
	t.at, t.from = t.at[:0], t.from[:0]
	for i, p := range t.ring.places {
		event, twice := i/2, i%2 == 1 && p == t.ring.places[i-1]
		if t.ring.events[p] == t.ring.inserted[event] && !twice {
			t.at, t.from = append(t.at, p), append(t.from, int32(event))
		}
	}
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
func (t *Rows) Restore(saved models.Tensor) { t.device.Write(t.table, saved.F32) }
