// Package kernels is the room of the mathematics below nn: float32 kernels
// on buffers, without knowledge of models. Package cpu holds those of the
// processor.
package kernels
