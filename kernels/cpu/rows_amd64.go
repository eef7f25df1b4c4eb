//go:build amd64 && !purego

package cpu

import (
	"fmt"
	"unsafe"

	"dgsbench/kernels/portable"
)

// copyMatrixRows is [portable.Kernels.CopyRows].
func copyMatrixRows(rows, cols int, to, from portable.Rows[float32]) {
	if rows <= 0 || cols <= 0 {
		return
	}
	checkRows(&to, rows, cols)
	if first := checkRows(&from, rows, cols); first < 0 {
		panic(fmt.Sprintf("cpu: copy of row %d", first))
	}
	copyRows(unsafe.SliceData(to.Of), unsafe.SliceData(from.Of), unsafe.SliceData(to.Index), unsafe.SliceData(from.Index), rows, cols, to.Stride, from.Stride)
}

// checkRows panics if the matrix ends before one of the rows. It returns the
// smallest of their numbers.
func checkRows(r *portable.Rows[float32], rows, cols int) (least int) {
	least, most := 0, rows-1
	if r.Index != nil {
		least, most = int(r.Index[0]), int(r.Index[0])
		for _, i := range r.Index[:rows] {
			least, most = min(least, int(i)), max(most, int(i))
		}
	}
	if most >= 0 && most*r.Stride+cols > len(r.Of) {
		panic(fmt.Sprintf("cpu: copy of row %d of %d numbers, %d apart, of %d in all", most, cols, r.Stride, len(r.Of)))
	}
	return least
}
