package nn

import (
	"slices"
	"testing"

	"dgsbench/kernels"

	G "gorgonia.org/gorgonia"
)

// gatherTest lists rows repeatedly and leaves some out.
func gatherTest(b *opBench) (*G.Node, []func()) {
	table, picked := NewRows(9), NewRows(23)
	x, index := b.input("x", table, 19), b.graph.Index("index", picked)
	out := Gather(x, index)
	return out, []func(){
		func() {
			table.Set(9)
			picked.Set(23)
			b.write(index, 0, 8, 8, 1, 2, 8, 0, 4, 4, 4, 4, 6, 3, 3, 2, 1, 0, 1, 2, 3, 4, 6, 7)
		},
		func() {
			table.Set(4)
			picked.Set(3)
			b.write(index, 3, 0, 3)
		},
		func() {
			table.Set(2)
			picked.Set(0)
		},
	}
}

func TestGather(t *testing.T) { checkOp(t, gatherTest) }

// scatterTest leaves rows of the result out, and adds others up.
func scatterTest(b *opBench) (*G.Node, []func()) {
	table, listed := NewRows(6), NewRows(7)
	index := b.graph.Index("index", listed)
	out := Scatter(b.input("x", listed, 19), index, b.leaf("table", table, 2))
	return out, []func(){
		func() {
			table.Set(6)
			listed.Set(7)
			b.write(index, 5, 0, 5, 2, 5, 3, 0)
		},
		func() {
			table.Set(3)
			listed.Set(2)
			b.write(index, 2, 0)
		},
		func() {
			table.Set(1)
			listed.Set(0)
		},
	}
}

func TestScatter(t *testing.T) { checkOp(t, scatterTest) }

// TestScatteredRows: zeros where nothing goes.
func TestScatteredRows(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		b := newOpBench(t, d, scatterTest)
		x := drawn("x", 7*19)
		if got, want := b.results(1)[0], slices.Concat(x[19:2*19], make([]float32, 19), x[:19]); !slices.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
	})
}

// TestGatheredRows are those that the index names.
func TestGatheredRows(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		b := newOpBench(t, d, gatherTest)
		x := drawn("x", 9*19)
		if got, want := b.results(1)[0], slices.Concat(x[3*19:4*19], x[:19], x[3*19:4*19]); !slices.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
	})
}

// TestScatterKeepsTheLast of several rows with one index.
func TestScatterKeepsTheLast(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		table, rows, index := upload(d, make([]float32, 6)), upload(d, []float32{1, 2, 3, 4, 5, 6, 7, 8}), d.NewInts(4)
		d.WriteInts(index, []int32{2, 0, 2, 1})
		d.ScatterRows(3, 2, table, rows, index)
		if got, want := download(d, table, 6), []float32{3, 4, 0, 0, 5, 6}; !slices.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
	})
}

// TestGatherBeyondActiveRows: an index of a row that no batch filled is a
// programmer's error, not an old number.
func TestGatherBeyondActiveRows(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		g, rows, list := NewGraph(d), NewRows(3), NewRows(1)
		x, index := g.Input("x", rows, 2), g.Index("index", list)
		n := Gather(x, index)
		p := g.Compile(ForTraining, n)
		rows.Set(1)
		d.WriteInts(g.Ints(index), []int32{2})
		defer func() {
			if recover() == nil {
				t.Error("row 2 of 1 was read")
			}
		}()
		p.Run()
		download(d, p.Buffer(n), 2) // a device that works by itself tells now
	})
}
