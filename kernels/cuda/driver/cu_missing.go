//go:build gpu && cu

package driver

// This file has the calls that gorgonia.org/cu lacks.

// #cgo LDFLAGS: -lcuda
// #include <cuda.h>
// #include <stdint.h>
//
// static CUresult allowShared(uintptr_t f, int bytes) {
//   return cuFuncSetAttribute((CUfunction)f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
// }
//
// // Only calls of the capturing thread are recorded or refused.
// static CUresult beginCapture(uintptr_t s) {
//   return cuStreamBeginCapture((CUstream)s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
// }
// static CUresult endCapture(uintptr_t s, uintptr_t *recorded) { return cuStreamEndCapture((CUstream)s, (CUgraph *)recorded); }
// static CUresult instantiate(uintptr_t *g, uintptr_t recorded) {
//   return cuGraphInstantiateWithFlags((CUgraphExec *)g, (CUgraph)recorded, 0);
// }
// static CUresult forget(uintptr_t recorded) { return cuGraphDestroy((CUgraph)recorded); }
// static CUresult launch(uintptr_t g, uintptr_t s) { return cuGraphLaunch((CUgraphExec)g, (CUstream)s); }
// static CUresult destroy(uintptr_t g) { return cuGraphExecDestroy((CUgraphExec)g); }
import "C"

import "unsafe"

// mostShared is the most shared memory that a block may ask for.
const mostShared = C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN

// pinnedFlags: every context reaches pinned memory, the card too.
const pinnedFlags = C.CU_MEMHOSTALLOC_PORTABLE | C.CU_MEMHOSTALLOC_DEVICEMAP

func allocHost(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	if err := checkResult("cuMemHostAlloc", int(C.cuMemHostAlloc(&p, C.size_t(bytes), pinnedFlags))); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

func (f Function) allowShared(bytes int) error {
	return checkResult("cuFuncSetAttribute", int(C.allowShared(C.uintptr_t(f), C.int(bytes))))
}

// recorded is what was captured, before it can be launched.
type recorded uintptr

func (s Stream) beginCapture() error {
	return checkResult("cuStreamBeginCapture", int(C.beginCapture(C.uintptr_t(s))))
}

func (s Stream) endCapture() (recorded, error) {
	var r C.uintptr_t
	err := checkResult("cuStreamEndCapture", int(C.endCapture(C.uintptr_t(s), &r)))
	return recorded(r), err
}

func (r recorded) instantiate() (Graph, error) {
	var g C.uintptr_t
	err := checkResult("cuGraphInstantiate", int(C.instantiate(&g, C.uintptr_t(r))))
	return Graph(g), err
}

func (r recorded) destroy() error {
	return checkResult("cuGraphDestroy", int(C.forget(C.uintptr_t(r))))
}

func (g Graph) launch(s Stream) error {
	return checkResult("cuGraphLaunch", int(C.launch(C.uintptr_t(g), C.uintptr_t(s))))
}

func (g Graph) destroy() error {
	return checkResult("cuGraphExecDestroy", int(C.destroy(C.uintptr_t(g))))
}
