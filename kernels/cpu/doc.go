// Package cpu holds the processor's kernels: plain functions over float32
// slices with explicit sizes, which allocate nothing and know nothing of
// models.
//
// On amd64 there are AVX2 and AVX-512 variants, chosen at run time;
// elsewhere, and under the build tag purego, package portable does the same
// in Go. Bits do not depend on the vector width or on the number of threads:
// a matrix product accumulates each output over k in order with fused
// multiply-add, reductions use one fixed tree of sixteen lanes, and
// transcendental functions one polynomial. Portable Go agrees within the
// tolerances that the conformance test states.
package cpu
