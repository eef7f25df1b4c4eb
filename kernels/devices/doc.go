// Package devices is the one place that knows what there is to run kernels
// on: the processor, and the cards of CUDA in a build with the tag gpu.
package devices
