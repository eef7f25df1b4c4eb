package cpu

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a large page of memory.
const hugePage = 2 << 20

// hugePages asks for large pages for x: random accesses to much memory then
// look up fewer of them. A system that refuses changes nothing.
func hugePages[S any](x []S) {
	if len(x) == 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
	before := int(-uintptr(unsafe.Pointer(&x[0])) % hugePage)
	if whole := (len(bytes) - before) / hugePage * hugePage; whole > 0 {
		_ = syscall.Madvise(bytes[before:before+whole], syscall.MADV_HUGEPAGE)
	}
}
