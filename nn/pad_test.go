package nn

import (
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"

	G "gorgonia.org/gorgonia"
	"pgregory.net/rapid"
)

// TestPaddedRows: whatever sizes batches have, programs have as many rows at
// least, no fewer than before, and few different numbers of them, in whole
// steps.
func TestPaddedRows(t *testing.T) {
	d := &devicetest.Repeating{Device: cpu.NewDevice(cpu.Best(), 1)}
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 5000).Draw(t, "capacity")
		r, before, different := NewGraph(d).PaddedRows(most), 0, 0
		for range rapid.IntRange(1, 200).Draw(t, "batches") {
			n := rapid.IntRange(0, most).Draw(t, "rows")
			r.Set(n)
			if now := r.Padded(); now != before {
				if different++; now < before || now%paddingStep != 0 || now > r.MaxPadding() {
					t.Fatalf("%d rows after %d", now, before)
				}
				before = now
			}
			if before < n || r.active != n {
				t.Fatalf("%d rows, %d of them active, for %d", before, r.active, n)
			}
		}
		if different > 30 {
			t.Fatalf("%d different sizes", different)
		}
	})
}

// TestNoPadding: a device that repeats nothing has the rows that it is given.
func TestNoPadding(t *testing.T) {
	r := NewGraph(cpu.NewDevice(cpu.Best(), 1)).PaddedRows(100)
	r.Set(7)
	if r.Padded() != 7 || r.MaxPadding() != 0 || r.capacity != 100 {
		t.Errorf("%d rows of at most %d, and %d of padding, expected 7, 100 and 0", r.Padded(), r.capacity, r.MaxPadding())
	}
}

// TestPaddingRepeats: batches of many sizes are repetitions of few, whose
// rows beyond the batch's own have no part in sums; programs for inference
// leave them out.
func TestPaddingRepeats(t *testing.T) {
	onEveryDevice(t, func(t *testing.T, d kernels.Device) {
		again := &devicetest.Repeating{Device: d}
		g := NewGraph(again)
		rows, few := g.PaddedRows(300), NewRows(1)
		x, index, at := g.Input("x", rows, 2), g.Index("index", few), g.Param("w", []float32{2, 3}, 2, 1)
		y := Linear(x, at)
		read := Gather(y, index)
		loss := inner(read, g.Param("one", []float32{1}, 1, 1))
		grads := Gradients(loss, at)
		train := g.Compile(ForTraining, append(G.Nodes{loss}, grads...)...)
		repeated := g.RepeatedCalls(train.Run, train)
		for _, n := range []int{200, 200, 150, 3, 199, 205, 40, 1, 210} {
			rows.Set(n)
			numbers := make([]float32, 2*n)
			for i := range numbers {
				numbers[i] = float32(n + i)
			}
			again.Write(g.Buffer(x), numbers)
			again.WriteInts(g.Ints(index), []int32{int32(n - 1)})
			repeated.Run()
			first := float32(3*n - 2)
			if got := download(d, train.Buffer(loss), 1)[0]; got != 5*first+3 {
				t.Errorf("%d rows: loss %v, expected %v", n, got, 5*first+3)
			}
			if got := download(d, train.Buffer(grads[0]), 2); got[0] != first || got[1] != first+1 {
				t.Errorf("%d rows: gradient %v, expected %v and 1 more", n, got, first)
			}
			if rows.active != n {
				t.Errorf("%d rows after %d were set", rows.active, n)
			}
		}
		if again.Prepared != 1 {
			t.Errorf("%d sizes were prepared, expected 1", again.Prepared)
		}
	})
}
