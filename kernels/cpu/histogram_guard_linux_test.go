package cpu

import (
	"fmt"
	"runtime/debug"
	"testing"
	"unsafe"

	"dgsbench/kernels/portable"
)

// guardedInts ends like guarded where memory that must not be touched begins.
func guardedInts(t *testing.T, numbers ...int32) []int32 {
	list := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(guarded(t, len(numbers))))), len(numbers))
	copy(list, numbers)
	return list
}

// TestHistogramsStayInside is TestNoAccessBeyondSlices for the kernels that
// take lists.
func TestHistogramsStayInside(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, k := range Available() {
		for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100, 127, 128, 129, 140} {
			t.Run(fmt.Sprintf("%s/%d", k.Level(), n), func(t *testing.T) {
				s := func(size int) []float32 { return guarded(t, size) }
				first, last := int32(0), int32(n-1)
				f := &portable.Fold[float32]{
					Cols: n, Table: s(3 * n), Self: guardedInts(t, 2, 0), Other: guardedInts(t, 1, 2), Event: guardedInts(t, 1, 0),
					Keep: s(2), Mix: s(2), Hit: s(2),
				}
				k.FoldRows(s(2*n), f, s(2*n))
				k.FoldBuckets(s(2*n), f, guardedInts(t, first, last), 1)
				k.SumRows(s(2*n), n, s(3*n), guardedInts(t, 2, 2, 0, 1), 2)
				k.Bucketize(guardedInts(t, make([]int32, 2*n)...), s(2*n), s(3*n), guardedInts(t, make([]int32, n)...))
			})
		}
	}
}
