package cpu_test

import (
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
)

// TestDeviceConforms: the vector levels agree bit for bit, with any number of
// threads; the portable one is by itself.
func TestDeviceConforms(t *testing.T) {
	var portable, vector []kernels.Device
	for _, k := range cpu.Available() {
		devices := []kernels.Device{cpu.NewDevice(k, 1), cpu.NewDevice(k, 3)}
		if k.Level() == cpu.Portable {
			portable = append(portable, devices...)
		} else {
			vector = append(vector, devices...)
		}
	}
	t.Run("portable", func(t *testing.T) { devicetest.Run(t, 1e-6, portable...) })
	t.Run("vector", func(t *testing.T) {
		if len(vector) == 0 {
			t.Skip("this processor has no vector kernels")
		}
		devicetest.Run(t, 1e-6, vector...)
	})
}
