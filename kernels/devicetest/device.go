package devicetest

import (
	"math"
	"slices"
	"testing"

	"dgsbench/kernels"
)

// checkMemory: buffers start as zeros, views share memory, and what was
// written does not change with the slice that it came from.
func checkMemory(t *testing.T, d kernels.Device) {
	const large = 700_001 // more than a device moves at once
	host := make([]float32, large)
	for i := range host {
		host[i] = float32(i)
	}
	b := d.NewBuffer(large + 3)
	view := d.View(b, 2, large)
	d.Write(view, host)
	want := slices.Concat([]float32{0, 0}, host, []float32{0})
	clear(host[:2000])
	if !slices.Equal(download(d, b), want) {
		t.Errorf("%s: a window that was written is not what was written to it", d.Name())
	}
	if view.Len() != large || b.Len() != large+3 || d.NewInts(5).Len() != 5 {
		t.Errorf("%s: wrong lengths", d.Name())
	}
	list, second := d.NewInts(6), d.View(b, 0, 1)
	d.WriteInts(d.ViewInts(list, 4, 2), []int32{1, 2})
	d.GatherRows(1, 3, 1, second, d.View(b, 2, 3), d.ViewInts(list, 5, 1))
	if got := download(d, second); got[0] != want[4] {
		t.Errorf("%s: row 2 is %v by a window of a list, expected %v", d.Name(), got[0], want[4])
	}
	for range 400 { // rewritten while the device may still work on the last one
		d.Write(view, host[:9000])
		d.Add(1, view, view, d.View(b, 1000, 1))
	}
	some := make([]float32, 3)
	d.Read(some, view)
	if !slices.Equal(some, host[:3]) {
		t.Errorf("%s: writing again and again ends with %v", d.Name(), some)
	}
	d.Write(b, []float32{1, 2, 3, 4})
	d.Write(d.View(b, 1, 2), []float32{5, 6}) // while the one before may be on its way
	if d.Read(some, b); !slices.Equal(some, []float32{1, 5, 6}) {
		t.Errorf("%s: of two writes to one place, the last one should stay: %v", d.Name(), some)
	}
}

// checkKinds: a list in the place of a buffer panics, as does a buffer in that
// of a list. The compiler accepts both, as the interfaces have the same methods.
func checkKinds(t *testing.T, d kernels.Device) {
	b, l := d.NewBuffer(1), d.NewInts(1)
	for name, call := range map[string]func(){
		"Write":              func() { d.Write(l, []float32{1}) },
		"WriteInts":          func() { d.WriteInts(b, []int32{1}) },
		"Read":               func() { d.Read(make([]float32, 1), l) },
		"View":               func() { d.View(l, 0, 1) },
		"ViewInts":           func() { d.ViewInts(b, 0, 1) },
		"NewGroup":           func() { d.NewGroup(l) },
		"Add":                func() { d.Add(1, b, b, l) },
		"GatherRows, source": func() { d.GatherRows(1, 1, 1, b, l, l) },
		"GatherRows, index":  func() { d.GatherRows(1, 1, 1, b, b, b) },
	} {
		if !panics(call) {
			t.Errorf("%s: %s takes a list for a buffer, or a buffer for a list", d.Name(), name)
		}
	}
}

// checkShort: an operand with fewer elements than the sizes say panics; none is
// read or written beyond its end.
func checkShort(t *testing.T, d kernels.Device) {
	const n = 4
	b, l := d.NewBuffer(2*n), d.NewInts(2*n)
	short, few := d.View(b, 0, n-1), d.ViewInts(l, 0, n-1)
	for name, call := range map[string]func(){
		"View":               func() { d.View(short, 0, n) },
		"ViewInts":           func() { d.ViewInts(few, 0, n) },
		"Write":              func() { d.Write(short, make([]float32, n)) },
		"WriteFloat64":       func() { d.WriteFloat64(short, make([]float64, n)) },
		"WriteInts":          func() { d.WriteInts(few, make([]int32, n)) },
		"Read":               func() { d.Read(make([]float32, n), short) },
		"Add, result":        func() { d.Add(n, short, b, b) },
		"Add, operand":       func() { d.Add(n, b, b, short) },
		"Sigmoid":            func() { d.Sigmoid(n, b, short) },
		"ColumnSums":         func() { d.ColumnSums(2, n, short, b) },
		"BCEGrad":            func() { d.BCEGrad(n, b, b, short, b, b) },
		"Gemm, result":       func() { d.Gemm(kernels.NN, 1, n, 1, b, b, short, nil, false) },
		"Gemm, bias":         func() { d.Gemm(kernels.NN, 1, n, 1, b, b, b, short, false) },
		"GatherRows":         func() { d.GatherRows(n, n, 1, b, short, l) },
		"GatherRows, list":   func() { d.GatherRows(n, n, 1, b, b, few) },
		"SumRows":            func() { d.SumRows(n, 1, n, 1, short, b, l) },
		"Softmax":            func() { d.SoftmaxBlocks(n, 2, 1, b, short) },
		"LayerNorm":          func() { d.LayerNorm(2, n, 1e-5, b, b, b, b, b, short) },
		"GRUCell":            func() { d.GRUCell(1, n, b, b, b, b, short) },
		"TimeEncode":         func() { d.TimeEncode(2, n, b, b, b, short) },
		"groups of Momentum": func() { d.Momentum(d.NewGroup(b), d.NewGroup(short), d.NewGroup(b), 1, 0, 0) },
	} {
		if !panics(call) {
			t.Errorf("%s: %s takes %d of %d elements", d.Name(), name, n-1, n)
		}
	}
}

func checkFinite(t *testing.T, d kernels.Device) {
	for _, n := range []int{0, 1, 33, 1000} {
		for _, bad := range []float32{0, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32} {
			host := make([]float32, n+1)
			host[n] = float32(math.NaN()) // beyond the end
			if n > 0 {
				host[n-1] = bad
			}
			b := upload(d, host...)
			if got, want := d.IsFinite(n, b), n == 0 || bad-bad == 0; got != want {
				t.Errorf("%s: of %d numbers with %v at the end, Finite is %t", d.Name(), n, bad, got)
			}
		}
	}
}

// checkThreads: Parallel runs every thread once and waits for all, and each
// works on the device's buffers, all at the same time.
func checkThreads(t *testing.T, d kernels.Device) {
	const width = 1000
	threads := d.Threads()
	if threads < 1 {
		t.Fatalf("%s: %d threads", d.Name(), threads)
	}
	host := make([]float32, threads*width)
	for i := range host {
		host[i] = float32(i)
	}
	x, sums := upload(d, host...), d.NewBuffer(len(host))
	for round := range 50 {
		runs := make([]int, threads)
		d.Parallel(func(thread int) {
			runs[thread]++
			own := d.Thread(thread)
			if n := own.Threads(); n != 1 {
				t.Errorf("%s: thread %d is a device of %d threads", d.Name(), thread, n)
			}
			part := own.View(sums, thread*width, width)
			own.Add(width, part, part, own.View(x, thread*width, width))
		})
		if slices.ContainsFunc(runs, func(n int) bool { return n != 1 }) {
			t.Fatalf("%s: round %d runs the threads %v times", d.Name(), round, runs)
		}
	}
	d.Add(len(host), sums, sums, x) // after all of them
	for i, v := range download(d, sums) {
		if v != 51*host[i] {
			t.Fatalf("%s: number %d is %v, expected %v", d.Name(), i, v, 51*host[i])
		}
	}
}

// checkRowsOutOfRange: a row number that names no row is a programmer's error.
// A device that works by itself panics when it is read from, and works on.
func checkRowsOutOfRange(t *testing.T, d kernels.Device) {
	const rows, cols = 2, 3
	for name, call := range map[string]func(b *bench, bad kernels.Ints){
		"GatherRows": func(b *bench, bad kernels.Ints) {
			b.GatherRows(1, rows, cols, b.normal(cols), b.normal(rows*cols), bad)
		},
		"ScatterRows": func(b *bench, bad kernels.Ints) { b.ScatterRows(1, cols, b.NewBuffer(rows*cols), b.normal(cols), bad) },
		"MoveRows, to": func(b *bench, bad kernels.Ints) {
			b.MoveRows(1, cols, b.NewBuffer(rows*cols), bad, b.normal(rows*cols), b.list(0))
		},
		"MoveRows, from": func(b *bench, bad kernels.Ints) {
			b.MoveRows(1, cols, b.NewBuffer(rows*cols), b.list(0), b.normal(rows*cols), bad)
		},
		"ScatterAddRows": func(b *bench, bad kernels.Ints) {
			b.ScatterAddRows(1, rows, cols, b.normal(rows*cols), b.normal(cols), bad)
		},
		"CommitRows": func(b *bench, bad kernels.Ints) {
			b.CommitRows(1, cols, b.NewGroup(b.NewBuffer(rows*cols)), b.NewGroup(b.normal(cols)), bad)
		},
		"ContractRows": func(b *bench, bad kernels.Ints) {
			b.ContractRows(1, rows, cols, b.NewGroup(b.normal(cols)), b.normal(cols), b.NewGroup(b.normal(rows*cols)), bad, nil)
		},
		"SumRows": func(b *bench, bad kernels.Ints) {
			b.SumRows(1, 1, rows, cols, b.normal(cols), b.normal(rows*cols), bad)
		},
		"FoldRows": func(b *bench, bad kernels.Ints) {
			b.FoldRows(smallFold(b, rows, cols, bad, b.list(0)), b.normal(cols), b.normal(cols))
		},
		"FoldBuckets, event": func(b *bench, bad kernels.Ints) {
			b.FoldBuckets(smallFold(b, rows, cols, b.list(0), bad), b.normal(cols), b.list(0), 1)
		},
		"Attend": func(b *bench, bad kernels.Ints) { b.Attend(attention(b, cols, false, rows/2, []int32{0, 1}, bad)) },
	} {
		for _, bad := range []int32{-1, rows} {
			b := newBench(d, 1, false)
			if !panics(func() { call(b, b.list(bad)); b.results() }) {
				t.Errorf("%s: %s takes row %d of %d", d.Name(), name, bad, rows)
			}
		}
	}
	if panics(func() { newBench(d, 1, false).normal(5); d.IsFinite(1, d.NewBuffer(1)) }) {
		t.Errorf("%s: the device is of no more use after a panic", d.Name())
	}
}

// smallFold has one row.
func smallFold(b *bench, nodes, cols int, self, event kernels.Ints) *kernels.Fold {
	return &kernels.Fold{
		Rows: 1, Cols: cols, Nodes: nodes, Table: b.normal(nodes * cols), Self: self, Other: b.list(0), Events: 1, Event: event,
		Keep: b.positive(1), Mix: b.positive(1), Hit: b.positive(1),
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}
