//go:build gpu && cu

package driver

// This file makes the calls through gorgonia.org/cu, and those that it lacks
// through cgo. The methods are documented in purego.go.

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
// static CUresult endCapture(uintptr_t s, uintptr_t *captured) { return cuStreamEndCapture((CUstream)s, (CUgraph *)captured); }
// static CUresult instantiate(uintptr_t *g, uintptr_t captured) {
//   return cuGraphInstantiateWithFlags((CUgraphExec *)g, (CUgraph)captured, 0);
// }
// static CUresult destroyGraph(uintptr_t captured) { return cuGraphDestroy((CUgraph)captured); }
// static CUresult launchGraph(uintptr_t g, uintptr_t s) { return cuGraphLaunch((CUgraphExec)g, (CUstream)s); }
// static CUresult destroyInstance(uintptr_t g) { return cuGraphExecDestroy((CUgraphExec)g); }
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
	"gorgonia.org/cu"

	"dgsbench/kernels/cuda/driver/internal/start"
)

// Handles of the driver.
type (
	Module   = cu.Module
	Function = cu.Function
	Stream   = cu.Stream
	Event    = cu.Event
)

// Device is a card.
type Device struct {
	context cu.CUContext
	info    Info
}

func open(library string, n int) (*Device, error) {
	if library != Library {
		return nil, fmt.Errorf("this program is linked with %s and cannot load %s; build with -tags gpu, without cu", Library, library)
	}
	devices, err := cu.NumDevices()
	if err != nil {
		return nil, check("cuDeviceGetCount", err)
	}
	if err := checkNumber(n, devices); err != nil {
		return nil, err
	}
	device, err := cu.GetDevice(n)
	if err != nil {
		return nil, check("cuDeviceGet", err)
	}
	name, err := device.Name()
	if err != nil {
		return nil, check("cuDeviceGetName", err)
	}
	const maxShared = C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
	attributes, err := device.Attributes(cu.MultiprocessorCount, maxShared)
	if err != nil {
		return nil, check("cuDeviceGetAttribute", err)
	}
	d := &Device{info: Info{Name: name, Multiprocessors: attributes[0], Shared: attributes[1], Version: cu.Version()}}
	d.context, err = device.RetainPrimaryCtx()
	return d, check("cuDevicePrimaryCtxRetain", err)
}

// check adds the name of the call and the driver's words to an error of cu.
func check(what string, err error) error {
	result := cu.Success // of a type that has no name outside of cu
	if !errors.As(err, &result) {
		return err
	}
	return checkResult(what, C.CUresult(result))
}

// checkResult turns a result of the driver into an error.
func checkResult(what string, result C.CUresult) error {
	if result == 0 {
		return nil
	}
	name, text := start.Describe(int(result))
	return failure(what, int(result), name, text)
}

// word is a stream or a kernel as C has it: cu hides that in a struct.
func word[T Stream | Function](handle T) C.uintptr_t {
	return *(*C.uintptr_t)(unsafe.Pointer(&handle))
}

// This compiles as long as each of them is a word.
const (
	_ uintptr = -(unsafe.Sizeof(Stream{}) ^ unsafe.Sizeof(uintptr(0)))
	_ uintptr = -(unsafe.Sizeof(Function{}) ^ unsafe.Sizeof(uintptr(0)))
)

func address(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

func (d *Device) setContext() error { return check("cuCtxSetCurrent", cu.SetCurrentContext(d.context)) }

func (d *Device) Load(ptx string) (Module, error) {
	log := make([]byte, 8<<10)
	m, err := cu.LoadDataEx(ptx, &cu.JITErrorLogBuffer{Buffer: log})
	if err := check("cuModuleLoadDataEx", err); err != nil {
		return m, fmt.Errorf("%w\n%s", err, unix.ByteSliceToString(log))
	}
	return m, nil
}

func (d *Device) Function(m Module, name string, shared int) (Function, error) {
	f, err := m.Function(name)
	if err := check("cuModuleGetFunction", err); err != nil {
		return f, fmt.Errorf("kernel %s: %w", name, err)
	}
	return f, checkResult("cuFuncSetAttribute", C.allowShared(word(f), C.int(shared)))
}

// Launch: cu copies eight bytes for each parameter, however many it has.
func (d *Device) Launch(f Function, size Launch, s Stream, parameters ...uint64) error {
	addresses := make([]unsafe.Pointer, len(parameters))
	for i := range parameters {
		addresses[i] = unsafe.Pointer(&parameters[i])
	}
	return check("cuLaunchKernel",
		f.Launch(size.Blocks[0], size.Blocks[1], 1, size.Threads, 1, 1, size.Shared, s, addresses))
}

func (d *Device) Alloc(bytes int) (Ptr, error) {
	p, err := cu.MemAlloc(int64(bytes))
	return Ptr(p), check("cuMemAlloc", err)
}

func (d *Device) Free(p Ptr) error { return check("cuMemFree", cu.MemFree(cu.DevicePtr(p))) }

func (d *Device) Memory() (free, total int, err error) {
	left, all, err := cu.MemInfo()
	return int(left), int(all), check("cuMemGetInfo", err)
}

func (d *Device) Pinned(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	const everyContext = C.CU_MEMHOSTALLOC_PORTABLE | C.CU_MEMHOSTALLOC_DEVICEMAP // reaches it, the card too
	if err := checkResult("cuMemHostAlloc", C.cuMemHostAlloc(&p, C.size_t(bytes), everyContext)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

func (d *Device) FreePinned(b []byte) error {
	return check("cuMemFreeHost", cu.MemFreeHost(address(b)))
}

func (d *Device) Upload(dst Ptr, pinned []byte, s Stream) error {
	return check("cuMemcpyHtoDAsync", cu.MemcpyHtoDAsync(cu.DevicePtr(dst), address(pinned), int64(len(pinned)), s))
}

func (d *Device) Download(pinned []byte, src Ptr, s Stream) error {
	return check("cuMemcpyDtoHAsync", cu.MemcpyDtoHAsync(address(pinned), cu.DevicePtr(src), int64(len(pinned)), s))
}

func (d *Device) Copy(dst, src Ptr, bytes int, s Stream) error {
	return check("cuMemcpyDtoDAsync", cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), int64(bytes), s))
}

func (d *Device) Clear(dst Ptr, bytes int, s Stream) error {
	return check("cuMemsetD8Async", cu.MemsetD8Async(cu.DevicePtr(dst), 0, int64(bytes), s))
}

func (d *Device) NewStream() (Stream, error) {
	s, err := cu.MakeStream(cu.NonBlocking)
	return s, check("cuStreamCreate", err)
}

func (d *Device) FreeStream(s Stream) error { return check("cuStreamDestroy", s.Destroy()) }

func (d *Device) Sync(s Stream) error { return check("cuStreamSynchronize", s.Synchronize()) }

func (d *Device) NewEvent() (Event, error) {
	e, err := cu.MakeEvent(cu.DefaultEvent)
	return e, check("cuEventCreate", err)
}

func (d *Device) FreeEvent(e Event) error { return check("cuEventDestroy", cu.DestroyEvent(&e)) }

func (d *Device) Record(e Event, s Stream) error { return check("cuEventRecord", e.Record(s)) }

func (d *Device) Wait(e Event) error { return check("cuEventSynchronize", e.Synchronize()) }

func (d *Device) Elapsed(from, to Event) (float32, error) {
	ms, err := from.Elapsed(to)
	return float32(ms), check("cuEventElapsedTime", err)
}

func (d *Device) Capture(s Stream, f func() error) (Graph, error) {
	if err := checkResult("cuStreamBeginCapture", C.beginCapture(word(s))); err != nil {
		return 0, err
	}
	err := f()
	var captured, g C.uintptr_t
	err = errors.Join(err, checkResult("cuStreamEndCapture", C.endCapture(word(s), &captured)))
	if err == nil {
		err = checkResult("cuGraphInstantiateWithFlags", C.instantiate(&g, captured))
	}
	if captured != 0 { // even if f failed
		err = errors.Join(err, checkResult("cuGraphDestroy", C.destroyGraph(captured)))
	}
	return Graph(g), err
}

func (d *Device) Replay(g Graph, s Stream) error {
	return checkResult("cuGraphLaunch", C.launchGraph(C.uintptr_t(g), word(s)))
}

func (d *Device) FreeGraph(g Graph) error {
	return checkResult("cuGraphExecDestroy", C.destroyInstance(C.uintptr_t(g)))
}
