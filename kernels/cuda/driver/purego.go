//go:build gpu && !cu

package driver

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// symbols are the driver's functions. Messages name them without version.
const symbols = `cuInit cuDriverGetVersion cuGetErrorName cuGetErrorString
	cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute cuDevicePrimaryCtxRetain cuCtxSetCurrent
	cuModuleLoadDataEx cuModuleGetFunction cuFuncSetAttribute cuLaunchKernel
	cuMemAlloc_v2 cuMemFree_v2 cuMemGetInfo_v2 cuMemHostAlloc cuMemFreeHost
	cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async
	cuStreamCreate cuStreamDestroy_v2 cuStreamSynchronize
	cuEventCreate cuEventDestroy_v2 cuEventRecord cuEventSynchronize cuEventElapsedTime
	cuStreamBeginCapture_v2 cuStreamEndCapture cuGraphInstantiateWithFlags cuGraphLaunch cuGraphDestroy cuGraphExecDestroy`

// library has the addresses of the driver's functions, by name without version.
type library map[string]uintptr

// Handles of the driver.
type (
	Module   uintptr
	Function uintptr
	Stream   uintptr
	Event    uintptr
)

// Device is a card.
type Device struct {
	library
	context uintptr
	info    Info
}

func open(path string, n int) (*Device, error) {
	l, err := load(path)
	if err != nil {
		return nil, err
	}
	var devices, device, version int32
	if err := errors.Join(
		l.call("cuDriverGetVersion", uintptr(unsafe.Pointer(&version))),
		l.call("cuDeviceGetCount", uintptr(unsafe.Pointer(&devices))),
	); err != nil {
		return nil, err
	}
	if err := checkNumber(n, int(devices)); err != nil {
		return nil, err
	}
	if err := l.call("cuDeviceGet", uintptr(unsafe.Pointer(&device)), uintptr(n)); err != nil {
		return nil, err
	}
	var name [256]byte
	err = l.call("cuDeviceGetName", uintptr(unsafe.Pointer(&name)), uintptr(len(name)), uintptr(device))
	attribute := func(which uintptr) int {
		var value int32
		err = errors.Join(err, l.call("cuDeviceGetAttribute", uintptr(unsafe.Pointer(&value)), which, uintptr(device)))
		return int(value)
	}
	const multiprocessors, maxShared = 16, 97
	d := &Device{library: l, info: Info{
		Name: unix.ByteSliceToString(name[:]), Multiprocessors: attribute(multiprocessors), Shared: attribute(maxShared), Version: int(version),
	}}
	return d, errors.Join(err, l.call("cuDevicePrimaryCtxRetain", uintptr(unsafe.Pointer(&d.context)), uintptr(device)))
}

func load(path string) (library, error) {
	const loading = "CUDA_MODULE_LOADING"
	// The loader reports errors by another call, which must come from the same thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Newer drivers load a kernel when it is launched first, which would be while a
	// stream is captured, or a clock runs.
	if err := os.Setenv(loading, cmp.Or(os.Getenv(loading), "EAGER")); err != nil {
		return nil, err
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	l := library{}
	for _, symbol := range strings.Fields(symbols) {
		address, err := purego.Dlsym(handle, symbol)
		if err != nil {
			return nil, fmt.Errorf("the driver is too old: it has no %s", symbol)
		}
		l[strings.TrimSuffix(symbol, "_v2")] = address
	}
	return l, l.call("cuInit", 0)
}

// call calls a function of the driver. Pointers are converted to numbers in its
// argument list and nowhere else: the compiler then keeps what they point to in
// its place until the call returns.
//
//go:uintptrescapes
func (l library) call(function string, arguments ...uintptr) error {
	address, ok := l[function]
	if !ok { // a call of address 0 would end the program without a word
		panic("driver: " + function + " is not among the symbols")
	}
	result, _, _ := purego.SyscallN(address, arguments...)
	if int32(result) == 0 {
		return nil
	}
	return l.failure(function, int32(result))
}

// failure is the error of a result, in the driver's words; "?" where it has none.
func (l library) failure(what string, result int32) error {
	var name, text *byte
	purego.SyscallN(l["cuGetErrorName"], uintptr(result), uintptr(unsafe.Pointer(&name)))
	purego.SyscallN(l["cuGetErrorString"], uintptr(result), uintptr(unsafe.Pointer(&text)))
	return failure(what, int(result), cmp.Or(unix.BytePtrToString(name), "?"), cmp.Or(unix.BytePtrToString(text), "?"))
}

func (d *Device) setContext() error { return d.call("cuCtxSetCurrent", d.context) }

// Load compiles PTX. The compiler's messages are in the error.
func (d *Device) Load(ptx string) (m Module, err error) {
	const errorLog, errorLogSize = 5, 6
	image, log := append([]byte(ptx), 0), make([]byte, 8<<10)
	options := [...]int32{errorLog, errorLogSize}
	var pin runtime.Pinner // the log's address stands in an array
	pin.Pin(&log[0])
	defer pin.Unpin()
	values := [...]uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	if err := d.call("cuModuleLoadDataEx", uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values))); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, unix.ByteSliceToString(log))
	}
	return m, nil
}

// Function finds a kernel and allows it shared bytes of dynamic shared memory.
func (d *Device) Function(m Module, name string, shared int) (f Function, err error) {
	const functionShared = 8
	text := append([]byte(name), 0)
	if err := d.call("cuModuleGetFunction", uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&text[0]))); err != nil {
		return 0, fmt.Errorf("kernel %s: %w", name, err)
	}
	return f, d.call("cuFuncSetAttribute", uintptr(f), functionShared, uintptr(shared))
}

// Launch puts a kernel on the stream, with a word for each parameter.
func (d *Device) Launch(f Function, size Launch, s Stream, parameters ...uint64) error {
	const limit = 32
	var words [limit]uint64
	var addresses [limit]unsafe.Pointer
	if copy(words[:], parameters) < len(parameters) {
		panic(fmt.Sprintf("driver: a kernel of %d parameters", len(parameters)))
	}
	for i := range parameters {
		addresses[i] = unsafe.Pointer(&words[i])
	}
	return d.call("cuLaunchKernel", uintptr(f), uintptr(size.Blocks[0]), uintptr(size.Blocks[1]), 1, uintptr(size.Threads), 1, 1,
		uintptr(size.Shared), uintptr(s), uintptr(unsafe.Pointer(&addresses)), 0)
}

// Alloc allocates memory of the card. What is in it is not defined.
func (d *Device) Alloc(bytes int) (p Ptr, err error) {
	err = d.call("cuMemAlloc", uintptr(unsafe.Pointer(&p)), uintptr(bytes))
	return p, err
}

func (d *Device) Free(p Ptr) error { return d.call("cuMemFree", uintptr(p)) }

// Memory is how many bytes of the card are free, and how many it has.
func (d *Device) Memory() (free, total int, err error) {
	err = d.call("cuMemGetInfo", uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, err
}

// Pinned allocates memory of the host that the card can reach, for copies.
func (d *Device) Pinned(bytes int) ([]byte, error) {
	const portable, mapped = 1, 2 // every context reaches it, the card too
	var p unsafe.Pointer
	if err := d.call("cuMemHostAlloc", uintptr(unsafe.Pointer(&p)), uintptr(bytes), portable|mapped); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

func (d *Device) FreePinned(b []byte) error {
	return d.call("cuMemFreeHost", uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// Upload puts a copy from pinned memory to the card on the stream. The memory
// must not change until the stream has made the copy.
func (d *Device) Upload(dst Ptr, pinned []byte, s Stream) error {
	return d.call("cuMemcpyHtoDAsync", uintptr(dst), uintptr(unsafe.Pointer(unsafe.SliceData(pinned))), uintptr(len(pinned)), uintptr(s))
}

// Download puts a copy from the card to pinned memory on the stream.
func (d *Device) Download(pinned []byte, src Ptr, s Stream) error {
	return d.call("cuMemcpyDtoHAsync", uintptr(unsafe.Pointer(unsafe.SliceData(pinned))), uintptr(src), uintptr(len(pinned)), uintptr(s))
}

// Copy puts a copy within the card on the stream.
func (d *Device) Copy(dst, src Ptr, bytes int, s Stream) error {
	return d.call("cuMemcpyDtoDAsync", uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

// Clear puts setting bytes to zero on the stream.
func (d *Device) Clear(dst Ptr, bytes int, s Stream) error {
	return d.call("cuMemsetD8Async", uintptr(dst), 0, uintptr(bytes), uintptr(s))
}

// NewStream makes a stream that waits for no other.
func (d *Device) NewStream() (s Stream, err error) {
	const nonBlocking = 1
	err = d.call("cuStreamCreate", uintptr(unsafe.Pointer(&s)), nonBlocking)
	return s, err
}

func (d *Device) FreeStream(s Stream) error { return d.call("cuStreamDestroy", uintptr(s)) }

// Sync waits for everything on the stream.
func (d *Device) Sync(s Stream) error { return d.call("cuStreamSynchronize", uintptr(s)) }

func (d *Device) NewEvent() (e Event, err error) {
	err = d.call("cuEventCreate", uintptr(unsafe.Pointer(&e)), 0)
	return e, err
}

func (d *Device) FreeEvent(e Event) error { return d.call("cuEventDestroy", uintptr(e)) }

// Record puts an event on the stream.
func (d *Device) Record(e Event, s Stream) error {
	return d.call("cuEventRecord", uintptr(e), uintptr(s))
}

// Wait waits until the stream has passed the event.
func (d *Device) Wait(e Event) error { return d.call("cuEventSynchronize", uintptr(e)) }

// Elapsed is the milliseconds from one passed event to another.
func (d *Device) Elapsed(from, to Event) (ms float32, err error) {
	err = d.call("cuEventElapsedTime", uintptr(unsafe.Pointer(&ms)), uintptr(from), uintptr(to))
	return ms, err
}

// Capture makes a graph of what f puts on the stream, without doing it.
func (d *Device) Capture(s Stream, f func() error) (g Graph, err error) {
	const threadLocal = 1 // only calls of the capturing thread are recorded or refused
	if err := d.call("cuStreamBeginCapture", uintptr(s), threadLocal); err != nil {
		return 0, err
	}
	err = f()
	var captured uintptr
	err = errors.Join(err, d.call("cuStreamEndCapture", uintptr(s), uintptr(unsafe.Pointer(&captured))))
	if err == nil {
		err = d.call("cuGraphInstantiateWithFlags", uintptr(unsafe.Pointer(&g)), captured, 0)
	}
	if captured != 0 { // even if f failed
		err = errors.Join(err, d.call("cuGraphDestroy", captured))
	}
	return g, err
}

// Replay puts all work of a graph on the stream.
func (d *Device) Replay(g Graph, s Stream) error {
	return d.call("cuGraphLaunch", uintptr(g), uintptr(s))
}

func (d *Device) FreeGraph(g Graph) error { return d.call("cuGraphExecDestroy", uintptr(g)) }
