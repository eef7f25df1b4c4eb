//go:build !amd64 || purego

package cpu

// vectorKernels are none: the only level is Portable.
func vectorKernels() []Kernels { return nil }
