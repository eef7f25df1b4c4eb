package nn

import (
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/kernels/reference"
)

// onEveryDevice runs a test on the kernels of every level of this processor,
// on the reference device, whose buffers are no float32 slices, and on what
// accelerators there are.
func onEveryDevice(t *testing.T, test func(t *testing.T, d kernels.Device)) {
	for _, k := range cpu.Available() {
		t.Run("cpu "+k.Level().String(), func(t *testing.T) { test(t, cpu.NewDevice(k, 2)) })
	}
	t.Run("reference", func(t *testing.T) { test(t, reference.New()) })
	for name, open := range devicetest.Accelerators {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// upload makes a buffer of the values.
func upload(d kernels.Device, values []float32) kernels.Buffer {
	b := d.NewBuffer(len(values))
	d.Write(b, values)
	return b
}

// download copies a buffer of n numbers.
func download(d kernels.Device, b kernels.Buffer, n int) []float32 {
	out := make([]float32, n)
	d.Read(out, b)
	return out
}
