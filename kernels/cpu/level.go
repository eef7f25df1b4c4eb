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

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// Level is an instruction set.
type Level int

// The levels, each wider than the one before.
const (
	Portable Level = iota
	AVX2           // with FMA
	AVX512         // F, DQ, BW, VL, and BMI2
)

func (l Level) String() string { return [...]string{"portable", "avx2", "avx512"}[l] }

// Kernels are the kernels of one level: all that depends on it. The functions of
// portable.Kernels are unsafe: they do not check lengths, which Device does.
type Kernels struct {
	*portable.Kernels[float32]
	level  Level
	gemm   func(g Gemm, scratch []float32)
	ranker func(d *Device, maxEvents, maxDim int) kernels.Ranker
	// Jacobians of float32 and of bfloat16 numbers.
	floats jacobianKernels[float32]
	halves jacobianKernels[uint16]
}

// plain are the kernels of the level Portable.
var plain = Kernels{
	Kernels: portable.Go[float32](),
	level:   Portable,
	gemm:    func(g Gemm, _ []float32) { g.Run() },
	ranker:  func(d *Device, maxEvents, maxDim int) kernels.Ranker { return d.Device.NewRanker(maxEvents, maxDim) },
	floats:  jacobianKernels[float32]{readPortable, replacePortable},
	halves:  jacobianKernels[uint16]{readPortableHalf, replacePortableHalf},
}

// available are the kernels of every level that this processor has.
var available = append([]Kernels{plain}, vectorKernels()...)

// Available lists the kernels of every level that this processor has, the
// portable ones first.
func Available() []Kernels { return available }

// Best are the kernels of the widest level that this processor has.
func Best() Kernels { return available[len(available)-1] }

// Level is the instruction set that is used.
func (k Kernels) Level() Level { return k.level }

// Class names the kernels as far as bits depend on them: AVX2 and AVX-512
// agree bit for bit, and portable Go with itself on one architecture: the
// compiler fuses multiplications and additions on some.
func (k Kernels) Class() string {
	if k.level == Portable {
		return "cpu/portable-" + architecture
	}
	return "cpu/vector"
}
