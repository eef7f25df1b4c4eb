//go:build !amd64 || purego

package cpu

// best is the only level there is.
const best = Portable
