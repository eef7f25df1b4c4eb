package kernels

// Repeating is a device that can make the same calls again for the price of
// one.
type Repeating interface {
	// Repeated prepares the calls that f makes, and makes none of them. They
	// are of kernels alone: f neither writes from the host nor reads, and it
	// makes no buffers. again makes the calls, on the same buffers with the
	// same sizes. What f looks at (Checks) has the same places each time: as
	// many buffers must have been seen before.
	Repeated(f func()) (again func())
}
