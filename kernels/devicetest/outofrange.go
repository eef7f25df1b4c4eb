package devicetest

import (
	"testing"

	"dgsbench/kernels"
)

// checkRowsOutOfRange: a row number that names no row is a programmer's error.
// A device that works by itself panics when it is read from, and works on.
func checkRowsOutOfRange(t *testing.T, d kernels.Device) {
	const rows, cols = 2, 3
	for name, call := range map[string]func(b *bench, bad kernels.Ints){
		"GatherRows": func(b *bench, bad kernels.Ints) {
			b.GatherRows(1, rows, cols, b.normal(cols), b.normal(rows*cols), bad)
		},
		"ScatterRows": func(b *bench, bad kernels.Ints) { b.ScatterRows(1, cols, b.NewBuffer(rows*cols), b.normal(cols), bad) },
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
