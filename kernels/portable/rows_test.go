package portable_test

import (
	"slices"
	"testing"

	"dgsbench/kernels/portable"
)

func TestRowCopies(t *testing.T) {
	table := []float64{1, 2, 3, 4, 5, 6} // three rows of two
	rows := make([]float64, 8)
	portable.GatherRows(rows, table, 2, []int32{2, 0, 2, 1})
	if want := []float64{5, 6, 1, 2, 5, 6, 3, 4}; !slices.Equal(rows, want) {
		t.Errorf("gathered %v, want %v", rows, want)
	}
	portable.ScatterRows(table, []float64{10, 11, 20, 21, 30, 31}, 2, []int32{1, 0, 1})
	if want := []float64{20, 21, 30, 31, 5, 6}; !slices.Equal(table, want) {
		t.Errorf("scattered %v, want %v: the last write stays", table, want)
	}
	goKernels.ScatterAddRows(table, []float64{1, 1, 2, 2, 3, 3}, 2, []int32{1, 0, 1})
	if want := []float64{22, 23, 34, 35, 5, 6}; !slices.Equal(table, want) {
		t.Errorf("added %v, want %v", table, want)
	}
	narrow := make([]float64, 3)
	portable.CopyRows(narrow, 1, table, 2, 3, 1)
	if want := []float64{22, 34, 5}; !slices.Equal(narrow, want) {
		t.Errorf("copied %v, want %v", narrow, want)
	}
}

func TestColumnSums(t *testing.T) {
	sums := []float64{100, 200}
	goKernels.AddColumnSums(sums, []float64{1, 2, 3, 4, 5, 6}, 3)
	if want := []float64{109, 212}; !slices.Equal(sums, want) {
		t.Errorf("column sums %v, want %v", sums, want)
	}
}
