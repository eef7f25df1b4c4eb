// Package reference is a device in float64 on plain Go loops. It is slow and
// exact: gradients are checked by central differences on it, and because its
// buffers are not float32 slices, whatever runs on it uses the Device interface
// only.
//
// It shares package portable's arithmetic and its handling of buffers with the
// processor's device. The arithmetic is checked independently of devices, in
// package portable: against central differences, PyTorch's results and
// calculations by hand.
package reference

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// Device is the reference device.
type Device struct{ *portable.Device[float64] }

// New returns a reference device.
func New() Device {
	return Device{portable.NewDevice("reference", portable.Go[float64](), make([]float64, 1<<14))}
}

// Exact returns the elements of a buffer, which tests may read and change.
func (d Device) Exact(b kernels.Buffer) []float64 { return d.Elements(b) }
