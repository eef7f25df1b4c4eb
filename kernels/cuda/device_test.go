//go:build gpu

package cuda_test

import (
	"errors"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/cuda/driver"
	"dgsbench/kernels/devicetest"
)

func TestConformance(t *testing.T) { devicetest.Run(t, 1e-6, cudatest.Devices(t)...) }

// TestMemoryComesBack: memory of unreachable buffers is used again,
// also for those of work that is not done yet.
func TestMemoryComesBack(t *testing.T) {
	d := cudatest.Device(t)
	const n = 24 << 20 // five of them fill the emulated card
	for i := range 8 {
		b := d.NewBuffer(n)
		d.Affine(1, b, 0, b, float64(i))
	}
	if last := d.NewBuffer(n); !d.IsFinite(1, d.View(last, n-1, 1)) {
		t.Error("new memory is not cleared")
	}
}

// TestTooMuchMemory: the failure says what is wrong.
func TestTooMuchMemory(t *testing.T) {
	d := cudatest.Device(t)
	allocate := func() (err error) {
		defer kernels.CatchFailure(&err)
		d.NewBuffer(1 << 44)
		return nil
	}
	if err := allocate(); !errors.Is(err, driver.ErrMemory) {
		t.Errorf("%v, expected ErrMemory", err)
	}
}

// TestWriteFloat64Allocates: rounding allocates nothing beside what Write does.
func TestWriteFloat64Allocates(t *testing.T) {
	d := cudatest.Device(t)
	numbers, doubles := make([]float32, 1000), make([]float64, 1000)
	b := d.NewBuffer(len(numbers))
	write := testing.AllocsPerRun(100, func() { d.Write(b, numbers) })
	if rounded := testing.AllocsPerRun(100, func() { d.WriteFloat64(b, doubles) }); rounded > write {
		t.Errorf("%v allocations, Write has %v", rounded, write)
	}
}
