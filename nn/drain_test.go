package nn

import (
	"slices"
	"strings"
	"testing"

	"dgsbench/kernels"
)

// TestDrain: rows of an output are handed on where they are computed, each
// once, and what hands them on may use the device.
func TestDrain(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		const capacity, cols = 70, 3
		g, rows := NewGraph(d), NewRows(capacity)
		x := g.Input("x", rows, cols)
		values := drawn("x", capacity*cols)
		d.Write(g.Buffer(x), values)
		y := ReLU(x)
		table := d.NewBuffer(2 * capacity * cols)
		places := make([]int32, capacity) // every second row, backwards; the third is left out
		for i := range places {
			places[i] = int32(2 * (capacity - 1 - i))
		}
		places[2] = -1
		g.Drain(y, func(p Part) func() {
			index := p.Device.NewInts(p.MaxRows)
			return func() {
				p.Device.WriteInts(index, places[p.First:][:p.Rows()])
				p.Device.PutRows(p.Rows(), cols, table, p.At, index)
			}
		})
		p := g.Compile(ForInference, y)
		for _, active := range []int{capacity, 33} {
			d.Zero(2*capacity*cols, table)
			rows.Set(active)
			p.Run()
			want := make([]float32, 2*capacity*cols)
			for i, to := range places[:active] {
				for j := range cols {
					if to >= 0 {
						want[int(to)*cols+j] = max(values[i*cols+j], 0)
					}
				}
			}
			if got := download(d, table, len(want)); !slices.Equal(got, want) {
				t.Errorf("%d rows: the table is\n%v\nexpected\n%v", active, got, want)
			}
		}
	})
}

// TestDrainOfAWhole: what is not computed row by row cannot be handed on.
func TestDrainOfAWhole(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		g, rows := NewGraph(d), NewRows(4)
		x, index := g.Input("x", rows, 2), g.Index("index", rows)
		y := Scatter(x, index, x)
		g.Drain(y, func(Part) func() { return func() {} })
		if got := panicOf(func() { g.Compile(ForInference, y) }); !strings.Contains(got, "scatter: its rows cannot be handed on") {
			t.Errorf("panic %q", got)
		}
	})
}
