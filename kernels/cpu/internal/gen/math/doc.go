// Command math writes the assembly of the element-wise kernels of package
// cpu: transcendental functions, reductions, softmax blocks, the GRU cell,
// the mixing of states and the optimisers.
//
// Every kernel is written once, in terms of a machine that has registers of
// 8 lanes (AVX2) or 16 lanes (AVX-512). Both get the same operations on each
// element in the same order, so both give the same bits.
package main
