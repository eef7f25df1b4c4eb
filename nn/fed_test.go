package nn

import (
	"slices"
	"testing"

	"dgsbench/kernels"
)

// TestFed: a program for inference fetches inputs and lists by itself, and
// hands rows on; one for training computes the same of what it writes.
func TestFed(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		const capacity, tableRows, cols = 70, 9, 3
		g, rows := NewGraph(d), NewRows(capacity)
		table := g.Input("table", NewRows(tableRows), cols)
		values := drawn("table", tableRows*cols)
		d.Write(g.Buffer(table), values)
		list, numbers := make([]int32, capacity), drawn("numbers", capacity*cols)
		for i := range list {
			list[i] = int32(i * i % tableRows)
		}
		listed := func() []int32 { return list }
		index := g.ListFromHost("index", rows, listed)
		a := g.FromHost("numbers", rows, cols, func() []float32 { return numbers })
		b := g.FromTable("rows", rows, cols, func() kernels.Buffer { return g.Buffer(table) }, listed)
		gathered := Gather(table, index)
		out := Concat(gathered, a, b)
		infer, train := compiled(t, g, ForInference, out), compiled(t, g, ForTraining, out)
		to := make([]int32, capacity)
		for i := range to {
			to[i] = int32(capacity - 1 - i)
		}
		to[2] = nowhere
		put := d.NewBuffer(capacity * 3 * cols)
		g.Drain(out, DrainTo(3*cols, func() kernels.Buffer { return put }, func() []int32 { return to }, nil))
		drain := compiled(t, g, ForInference, out)
		for _, active := range []int{capacity, 33, 0} {
			rows.Set(active)
			infer.Run()
			drain.Run()
			train.write()
			g.Flush()
			train.Run()
			want := make([]float32, 0, active*3*cols)
			for i, r := range list[:active] {
				row := values[int(r)*cols:][:cols]
				want = slices.Concat(want, row, numbers[i*cols:][:cols], row)
			}
			if got := download(d, train.Buffer(out), len(want)); !slices.Equal(got, want) {
				t.Errorf("training, %d rows:\n%v\nexpected\n%v", active, got, want)
			}
			if got := download(d, infer.Buffer(out), len(want)); !slices.Equal(got, want) {
				t.Errorf("inference, %d rows:\n%v\nexpected\n%v", active, got, want)
			}
			there := download(d, put, capacity*3*cols)
			for i, r := range to[:active] {
				if r >= 0 && !slices.Equal(there[int(r)*3*cols:][:3*cols], want[i*3*cols:][:3*cols]) {
					t.Errorf("%d rows: row %d is not at %d", active, i, r)
				}
			}
		}
	})
}

// nowhere stands for a row that is not handed on.
const nowhere = -1

func compiled(t *testing.T, g *Graph, mode Mode, out *Node) *Program {
	p := g.Compile(mode, out)
	return p
}
