//go:build !linux

package cpu

// hugePages does nothing here.
func hugePages[S any]([]S) {}
