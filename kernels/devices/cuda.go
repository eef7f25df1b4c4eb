//go:build gpu

package devices

import (
	"cmp"
	"errors"
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

// cardElsewhere is a card of another machine.
func cardElsewhere() (Target, error) {
	return Target{&card{
		level:  "a card of another machine",
		open:   func() (kernels.Device, error) { return Target{}.New(1) },
		memory: func() (int, int, error) { return 0, 0, errors.New("it is elsewhere") },
	}}, nil
}
