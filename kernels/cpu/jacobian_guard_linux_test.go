package cpu

import (
	"fmt"
	"runtime/debug"
	"testing"
	"unsafe"
)

// TestNoAccessBeyondJacobians runs the kernels on blocks and rows that end at
// forbidden memory.
func TestNoAccessBeyondJacobians(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, k := range Available() {
		for _, b := range []jacobianBlock{
			{width: 4, groups: 1, hi: 1},
			{width: 4, groups: 2, hi: 3},
			{width: 8, groups: 1, hi: 5},
			{width: 16, groups: 1, hi: 2},
			{width: 16, groups: 3, hi: 7},
			{width: 16, groups: 1, lo: 2, hi: 7},
		} {
			t.Run(fmt.Sprintf("%s/%dx%dx%d", k.Level(), b.groups, b.width, b.features()), func(*testing.T) {
				float := func() []float32 { return guarded(t, b.numbers()) }
				half := func() []uint16 {
					x := guarded(t, b.numbers()/2)
					return unsafe.Slice((*uint16)(unsafe.Pointer(&x[0])), b.numbers())
				}
				guardJacobians(t, &b, k.floats, float)
				guardJacobians(t, &b, k.halves, half)
			})
		}
	}
}

func guardJacobians[S float32 | uint16](t *testing.T, b *jacobianBlock, code jacobianKernels[S], block func() []S) {
	const states = 3
	numbers := func() []float32 { return guarded(t, b.numbers()) }
	lanes, driven := guardedInts(t, make([]int32, b.lanes())...), guardedInts(t, make([]int32, b.lanes())...)
	for l := range lanes {
		lanes[l], driven[l] = int32(l%states), int32(max(0, l-1)) // one lane of padding
	}
	code.read(b, numbers(), guarded(t, states), block(), block(), lanes)
	code.replace(b, numbers(), guarded(t, states), block(), block(), &jacobianUpdate{
		keep: guarded(t, states), mix: guarded(t, states), drive: guarded(t, b.lanes()-1), x: guarded(t, b.hi),
	}, block(), block(), block(), lanes, driven)
}
