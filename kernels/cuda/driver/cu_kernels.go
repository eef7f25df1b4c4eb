//go:build gpu && cu

package driver

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// Load compiles PTX.
func (c *card) Load(ptx string) (Module, error) {
	log := make([]byte, 8<<10)
	m, err := cu.LoadDataEx(ptx, &cu.JITErrorLogBuffer{Buffer: log})
	if err := check("cuModuleLoadDataEx", err); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, untilZero(log))
	}
	return moduleOf(m), nil
}

// Function finds a kernel.
func (c *card) Function(m Module, name string, shared int) (Function, error) {
	found, err := m.cu().Function(name)
	if err := check("kernel "+name, err); err != nil {
		return 0, err
	}
	f := functionOf(found)
	return f, f.allowShared(shared)
}

// Launch puts a kernel on the stream. cu copies eight bytes for each
// parameter, however many it has.
func (c *card) Launch(f Function, size Launch, s Stream, parameters ...uint64) error {
	addresses := make([]unsafe.Pointer, len(parameters))
	for i := range parameters {
		addresses[i] = unsafe.Pointer(&parameters[i])
	}
	return check("cuLaunchKernel",
		f.cu().Launch(size.Blocks[0], size.Blocks[1], 1, size.Threads, 1, 1, size.Shared, s.cu(), addresses))
}
