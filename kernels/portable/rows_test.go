package portable_test

import (
	"slices"
	"testing"

	"dgsbench/kernels/portable"
)

func TestRowCopies(t *testing.T) {
	table := numbers{1, 2, 3, 4, 5, 6} // three rows of two
	rows := zeros(8)
	device.GatherRows(4, 3, 2, rows, table, portable.Ints{2, 0, 2, 1})
	if want := []float64{5, 6, 1, 2, 5, 6, 3, 4}; !slices.Equal(rows, want) {
		t.Errorf("gathered %v, want %v", rows, want)
	}
	device.ScatterRows(3, 2, table, numbers{10, 11, 20, 21, 30, 31}, portable.Ints{1, 0, 1})
	if want := []float64{20, 21, 30, 31, 5, 6}; !slices.Equal(table, want) {
		t.Errorf("scattered %v, want %v: the last write stays", table, want)
	}
	device.ScatterAddRows(3, 3, 2, table, numbers{1, 1, 2, 2, 3, 3}, portable.Ints{1, 0, 1})
	if want := []float64{22, 23, 34, 35, 5, 6}; !slices.Equal(table, want) {
		t.Errorf("added %v, want %v", table, want)
	}
	narrow := zeros(3)
	device.CopyRows(3, 1, narrow, 1, table, 2)
	if want := []float64{22, 34, 5}; !slices.Equal(narrow, want) {
		t.Errorf("copied %v, want %v", narrow, want)
	}
}

func TestColumnSums(t *testing.T) {
	sums := numbers{100, 200} // overwritten
	device.ColumnSums(3, 2, sums, numbers{1, 2, 3, 4, 5, 6})
	if want := []float64{9, 12}; !slices.Equal(sums, want) {
		t.Errorf("column sums %v, want %v", sums, want)
	}
}
