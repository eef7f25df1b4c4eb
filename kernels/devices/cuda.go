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

func findCard(number int) (Target, error) {
	library := cmp.Or(os.Getenv(LibraryVariable), driver.Library)
	info, err := cuda.Info(library, number)
	if err != nil {
		return Target{}, err
	}
	return Target{
		card: fmt.Sprintf("%s, CUDA %d.%d", info.Name, info.Version/1000, info.Version%1000/10),
		open: func() (kernels.Device, error) { return cuda.Open(library, number) },
		room: func() (free, total int, err error) { return cuda.Memory(library, number) },
	}, nil
}
