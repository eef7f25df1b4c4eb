// Package portable holds the kernels in plain Go: the fallback on every
// platform and the yardstick for package cpu. They are generic, so that
// gradients can be checked in float64.
package portable

// Float is an element type.
type Float interface{ float32 | float64 }
