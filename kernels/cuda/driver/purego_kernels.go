//go:build gpu && !cu

package driver

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Options of the compiler: where it writes its messages, and how much room
// there is.
const (
	errorLog     = 5
	errorLogSize = 6
)

// Load compiles PTX.
func (c *card) Load(ptx string) (m Module, err error) {
	image, log := append([]byte(ptx), 0), make([]byte, 8<<10)
	options := [...]int32{errorLog, errorLogSize}
	var pin runtime.Pinner // the log's address stands in an array
	pin.Pin(&log[0])
	defer pin.Unpin()
	values := [...]uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	result := call(c.loadModule, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)))
	if err := c.check("cuModuleLoadDataEx", result); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, untilZero(log))
	}
	return m, nil
}

// Function finds a kernel.
func (c *card) Function(m Module, name string, shared int) (f Function, err error) {
	text := append([]byte(name), 0)
	result := call(c.findFunction, uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&text[0])))
	if err := c.check("kernel "+name, result); err != nil {
		return 0, err
	}
	return f, c.check("cuFuncSetAttribute", call(c.setAttribute, uintptr(f), functionShared, uintptr(shared)))
}

// mostParameters is the most that any kernel has.
const mostParameters = 32

// Launch puts a kernel on the stream.
func (c *card) Launch(f Function, size Launch, s Stream, parameters ...uint64) error {
	var words [mostParameters]uint64
	var addresses [mostParameters]unsafe.Pointer
	if copy(words[:], parameters) < len(parameters) {
		panic(fmt.Sprintf("driver: a kernel of %d parameters", len(parameters)))
	}
	for i := range parameters {
		addresses[i] = unsafe.Pointer(&words[i])
	}
	x, y, threads := uintptr(size.Blocks[0]), uintptr(size.Blocks[1]), uintptr(size.Threads)
	return c.check("cuLaunchKernel", call(c.launch, uintptr(f), x, y, 1, threads, 1, 1,
		uintptr(size.Shared), uintptr(s), uintptr(unsafe.Pointer(&addresses)), 0))
}
