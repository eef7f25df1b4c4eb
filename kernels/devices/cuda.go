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

// LibraryVariable is the environment variable with the driver's path, where it is
// not found by its name.
const LibraryVariable = "DGSBENCH_CUDA_LIBRARY"

func findCard(number int) (Target, error) {
	c, err := cuda.OpenCard(cmp.Or(os.Getenv(LibraryVariable), driver.Library), number)
	if err != nil {
		return Target{}, err
	}
	info := c.Info()
	return Target{&card{
		level:  fmt.Sprintf("%s, CUDA %d.%d", info.Name, info.Version/1000, info.Version%1000/10),
		open:   func() (kernels.Device, error) { return c.NewDevice() },
		memory: c.Memory,
	}}, nil
}
