package kernels_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/ram"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/reference"
)

// TestBufferWithoutRoom: a device whose buffers are the machine's memory fails
// with the numbers where that has no room, before it takes any.
func TestBufferWithoutRoom(t *testing.T) {
	if _, known := ram.Available(); !known {
		t.Skip("this system does not say how much memory it has")
	}
	for _, d := range []kernels.Device{cpu.NewDevice(cpu.Best(), 1), reference.New()} {
		for what, allocate := range map[string]func(int){
			"numbers": func(n int) { d.NewBuffer(n) },
			"rows":    func(n int) { d.NewInts(n) },
		} {
			refused := func(n int) (err error) {
				defer kernels.CatchFailure(&err)
				allocate(n)
				return nil
			}
			const far = 1 << 44 // 64 TB
			if err := refused(far); !errors.Is(err, kernels.ErrMemory) || !strings.Contains(err.Error(), "needs ") || !strings.Contains(err.Error(), " are free") {
				t.Errorf("%s on %s: %v, expected ErrMemory and the numbers", what, d.Name(), err)
			}
			if err := refused(4 << 20); err != nil { // 16 MB, which is asked for
				t.Errorf("%s on %s: %v", what, d.Name(), err)
			}
		}
	}
	if got := kernels.Allocate[int32](3 << 20); len(got) != 3<<20 || slices.Max(got) != 0 {
		t.Error("not all zeros")
	}
}
