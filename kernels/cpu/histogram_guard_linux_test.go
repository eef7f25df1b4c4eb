package cpu

import (
	"fmt"
	"runtime/debug"
	"testing"
	"unsafe"

	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// guardedInts ends like guarded where memory that must not be touched begins.
func guardedInts(t *testing.T, items ...int32) portable.Ints {
	list := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(guarded(t, len(items))))), len(items))
	copy(list, items)
	return list
}

// TestHistogramsStayInside is TestNoAccessBeyondSlices for the kernels that
// take lists.
func TestHistogramsStayInside(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, k := range Available() {
		for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100, 127, 128, 129, 140} {
			t.Run(fmt.Sprintf("%s/%d", k.Level(), n), func(t *testing.T) {
				d, s := NewDevice(k, 1), func(size int) kernels.Buffer { return numbers(guarded(t, size)) }
				first, last := int32(0), int32(n-1)
				f := &kernels.Fold{
					Rows: 2, Cols: n, Nodes: 3, Table: s(3 * n), Self: guardedInts(t, 2, 0), Other: guardedInts(t, 1, 2),
					Events: 2, Event: guardedInts(t, 1, 0), Keep: s(2), Mix: s(2), Hit: s(2),
				}
				d.FoldRows(f, s(2*n), s(2*n))
				d.FoldBuckets(f, s(2*n), guardedInts(t, first, last), 1)
				d.SumRows(2, 2, 3, n, s(2*n), s(3*n), guardedInts(t, 2, 2, 0, 1))
				d.Bucketize(2, n, 3, guardedInts(t, make([]int32, 2*n)...), s(2*n), s(3*n), guardedInts(t, make([]int32, n)...))
			})
		}
	}
}
