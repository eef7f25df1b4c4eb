//go:build gpu

package devices

import (
	"cmp"
	"fmt"
	"os"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/driver"
)

// LibraryVariable is the environment variable with the path of the driver's
// library, where that is not found by its name.
const LibraryVariable = "DGSBENCH_CUDA_LIBRARY"

// connections is the number of streams that CUDA runs concurrently by default;
// the work of further streams waits (CUDA_DEVICE_MAX_CONNECTIONS).
const connections = 8

func findCard(number int) (*card, error) {
	library := cmp.Or(os.Getenv(LibraryVariable), driver.Library)
	info, err := cuda.Info(library, number)
	if err != nil {
		return nil, err
	}
	return &card{
		level:  fmt.Sprintf("%s, CUDA %d.%d", info.Name, info.Version/1000, info.Version%1000/10),
		queues: connections,
		open:   func() (kernels.Device, error) { return cuda.Open(library, number) },
		memory: func() (free, total int, err error) { return cuda.Memory(library, number) },
	}, nil
}
