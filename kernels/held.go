package kernels

// Holder is a device with memory of its own, beside the host's.
type Holder interface {
	// MostHeld is the most bytes that its buffers have taken at once.
	MostHeld() int64
}

// MostHeld is the most bytes that the device's buffers have taken at once
// beside the host's memory: 0 for a device without memory of its own.
func MostHeld(d Device) int64 {
	if h, ok := d.(Holder); ok {
		return h.MostHeld()
	}
	return 0
}
