//go:build gpu && !cu

package driver

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Open takes card number n, from 0 on, of the driver that the library of
// this name is. An error wraps ErrNoGPU if there is no such card.
func Open(library string, n int) (Device, error) {
	l, err := load(library)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGPU, err)
	}
	d, err := l.device(n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGPU, err)
	}
	return d, nil
}

// symbols are the names of the fields of functions, in their order.
const symbols = `cuInit cuDriverGetVersion cuGetErrorName cuGetErrorString
	cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute cuDevicePrimaryCtxRetain cuCtxSetCurrent
	cuModuleLoadDataEx cuModuleGetFunction cuFuncSetAttribute cuLaunchKernel
	cuMemAlloc_v2 cuMemFree_v2 cuMemGetInfo_v2 cuMemHostAlloc cuMemFreeHost
	cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async
	cuStreamCreate cuStreamDestroy_v2 cuStreamSynchronize
	cuEventCreate cuEventDestroy_v2 cuEventRecord cuEventSynchronize cuEventElapsedTime
	cuStreamBeginCapture_v2 cuStreamEndCapture cuGraphInstantiateWithFlags cuGraphLaunch cuGraphDestroy cuGraphExecDestroy`

// functions are the addresses of the driver's functions.
type functions struct {
	start, version, errorName, errorText,
	count, find, name, attribute, retain, enter,
	loadModule, findFunction, setAttribute, launch,
	alloc, free, memory, allocHost, freeHost,
	upload, download, copy, fill,
	newStream, freeStream, syncStream,
	newEvent, freeEvent, recordEvent, waitEvent, elapsed,
	beginCapture, endCapture, instantiate, replay, freeGraph, freeInstance uintptr
}

// library is a driver that was found and started.
type library struct {
	functions
	release int // its version
}

// eager has the driver load all kernels of a module at once. Newer ones put that
// off until a kernel is launched first, which would be while a stream is
// captured, or a clock runs.
func eager() error {
	const variable = "CUDA_MODULE_LOADING"
	if os.Getenv(variable) != "" {
		return nil
	}
	return os.Setenv(variable, "EAGER")
}

func load(name string) (*library, error) {
	// What went wrong is asked for in a call of its own, on the same thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := eager(); err != nil {
		return nil, err
	}
	handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	l := &library{}
	names := strings.Fields(symbols)
	slots := unsafe.Slice((*uintptr)(unsafe.Pointer(&l.functions)), len(names))
	if unsafe.Sizeof(l.functions) != uintptr(len(names))*unsafe.Sizeof(slots[0]) {
		panic("driver: symbols and functions differ")
	}
	for i, symbol := range names {
		if slots[i], err = purego.Dlsym(handle, symbol); err != nil {
			return nil, fmt.Errorf("the driver is too old: it has no %s", symbol)
		}
	}
	if err := l.check("cuInit", call(l.start, 0)); err != nil {
		return nil, err
	}
	var version int32
	err = l.check("cuDriverGetVersion", call(l.version, uintptr(unsafe.Pointer(&version))))
	l.release = int(version)
	return l, err
}

// Attributes of a device and of a function.
const (
	multiprocessors = 16
	capabilityMajor = 75
	capabilityMinor = 76
	mostShared      = 97
	functionShared  = 8
)

// card is a Device.
type card struct {
	*library
	context uintptr
	info    Info
}

func (l *library) device(n int) (*card, error) {
	var devices, device int32
	if err := l.check("cuDeviceGetCount", call(l.count, uintptr(unsafe.Pointer(&devices)))); err != nil {
		return nil, err
	}
	if n < 0 || n >= int(devices) {
		return nil, noDevice(n, int(devices))
	}
	if err := l.check("cuDeviceGet", call(l.find, uintptr(unsafe.Pointer(&device)), uintptr(n))); err != nil {
		return nil, err
	}
	c := &card{library: l}
	if err := c.describe(uintptr(device)); err != nil {
		return nil, err
	}
	return c, l.check("cuDevicePrimaryCtxRetain", call(l.retain, uintptr(unsafe.Pointer(&c.context)), uintptr(device)))
}

// describe fills in the info.
func (c *card) describe(device uintptr) error {
	var name [256]byte
	if err := c.check("cuDeviceGetName", call(c.name, uintptr(unsafe.Pointer(&name)), uintptr(len(name)), device)); err != nil {
		return err
	}
	var attributes [4]int32
	for i, which := range []uintptr{multiprocessors, capabilityMajor, capabilityMinor, mostShared} {
		if err := c.check("cuDeviceGetAttribute", call(c.attribute, uintptr(unsafe.Pointer(&attributes[i])), which, device)); err != nil {
			return err
		}
	}
	c.info = Info{
		Name: untilZero(name[:]), Capability: int(10*attributes[1] + attributes[2]),
		Multiprocessors: int(attributes[0]), Shared: int(attributes[3]), Version: c.release,
	}
	return nil
}

// Info is what is known about the card.
func (c *card) Info() Info { return c.info }

// Do runs f on a thread of the card.
func (c *card) Do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.check("cuCtxSetCurrent", call(c.enter, c.context)); err != nil {
		return err
	}
	return f()
}

// call makes a call of the driver. Addresses are turned into numbers in its
// argument list and nowhere else: the compiler then keeps what they point to
// in its place until the call returns.
//
//go:uintptrescapes
func call(function uintptr, arguments ...uintptr) int32 {
	result, _, _ := purego.SyscallN(function, arguments...)
	return int32(result)
}

// check turns a result of the driver into an error.
func (l *library) check(what string, result int32) error {
	if result == 0 {
		return nil
	}
	var name, text *byte
	call(l.errorName, uintptr(result), uintptr(unsafe.Pointer(&name)))
	call(l.errorText, uintptr(result), uintptr(unsafe.Pointer(&text)))
	return failure(what, int(result), cString(name), cString(text))
}

// cString is a string of the driver; one that is missing is "?".
func cString(s *byte) string {
	if s == nil {
		return "?"
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(s), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(s, n))
}
