package portable_test

import (
	"slices"
	"testing"

	"dgsbench/kernels/portable"
)

func TestRowCopies(t *testing.T) {
	table := []float64{1, 2, 9, 3, 4, 9, 5, 6, 9} // three rows of two, three apart
	rows := make([]float64, 8)
	portable.GatherRows(rows, 2, table, 3, 2, []int32{2, 0, 2, 1})
	if want := []float64{5, 6, 1, 2, 5, 6, 3, 4}; !slices.Equal(rows, want) {
		t.Errorf("gathered %v, want %v", rows, want)
	}
	portable.ScatterRows(table, 3, []float64{10, 11, 20, 21, 30, 31}, 2, 2, []int32{1, 0, 1})
	if want := []float64{20, 21, 9, 30, 31, 9, 5, 6, 9}; !slices.Equal(table, want) {
		t.Errorf("scattered %v, want %v: the last write stays", table, want)
	}
	portable.ScatterAddRows(portable.Plain[float64]{}, table, 3, []float64{1, 1, 2, 2, 3, 3}, 2, 2, []int32{1, 0, 1})
	if want := []float64{22, 23, 9, 34, 35, 9, 5, 6, 9}; !slices.Equal(table, want) {
		t.Errorf("added %v, want %v", table, want)
	}
	narrow := make([]float64, 3)
	portable.CopyRows(narrow, 1, table, 3, 3, 1)
	if want := []float64{22, 34, 5}; !slices.Equal(narrow, want) {
		t.Errorf("copied %v, want %v", narrow, want)
	}
}

func TestBiasAndColumnSums(t *testing.T) {
	k := portable.Plain[float64]{}
	x, bias := []float64{1, 2, 3, 4, 5, 6}, []float64{10, 20}
	y := make([]float64, 6)
	portable.AddBias(k, y, x, bias)
	if want := []float64{11, 22, 13, 24, 15, 26}; !slices.Equal(y, want) {
		t.Errorf("with bias %v, want %v", y, want)
	}
	sums := []float64{100, 200}
	portable.AddColumnSums(k, sums, x, 2, 3)
	if want := []float64{109, 212}; !slices.Equal(sums, want) {
		t.Errorf("column sums %v, want %v", sums, want)
	}
}
