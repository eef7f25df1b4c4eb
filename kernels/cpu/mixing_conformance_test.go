package cpu_test

import (
	"fmt"
	"testing"

	"dgsbench/kernels/cpu"
	"dgsbench/kernels/portable"
)

// drawMixture has n columns.
func drawMixture(a *arrays, n int, withE, perRow bool) *portable.Mixture[float32] {
	size, factors := testRows*n, n
	if perRow {
		factors = size
	}
	m := &portable.Mixture[float32]{
		Cols: n, Self: a.normal(size), Other: a.normal(size), Alpha: a.positive(factors), Beta: a.normal(factors), PerRow: perRow,
	}
	if withE {
		m.E = a.normal(size)
	}
	return m
}

func mixingCases() []kernelCase {
	cases := []kernelCase{binaryCase("SigmoidGrad", func(k cpu.Kernels, dst, a, b []float32) { k.SigmoidGrad(dst, a, b) })}
	for _, withE := range []bool{true, false} {
		for _, perRow := range []bool{true, false} {
			options := fmt.Sprintf(" with e %t, factors per row %t", withE, perRow)
			cases = append(cases,
				kernelCase{"Mix" + options, func(a *arrays, n int) func(cpu.Kernels) {
					m, dst := drawMixture(a, n, withE, perRow), a.normal(testRows*n)
					return func(k cpu.Kernels) { k.Mix(dst, m) }
				}},
				kernelCase{"MixGrad" + options, func(a *arrays, n int) func(cpu.Kernels) {
					m, g, size := drawMixture(a, n, withE, perRow), a.normal(testRows*n), testRows*n
					d := &portable.MixtureGrad[float32]{Self: a.normal(size), Other: a.normal(size), Alpha: a.normal(size), Beta: a.normal(size)}
					if withE {
						d.E = a.normal(size)
					}
					return func(k cpu.Kernels) { k.MixGrad(d, m, g) }
				}})
		}
	}
	for _, h := range []int{1, 2, 5, 25, 250} {
		cases = append(cases,
			blockCase("SparsemaxBlocks", h, portable.SparsemaxBlocks[float32]), blockGradCase("SparsemaxBlocksGrad", h, portable.SparsemaxBlocksGrad[float32]),
			blockCase("EntmaxBlocks", h, portable.EntmaxBlocks[float32]), blockGradCase("EntmaxBlocksGrad", h, portable.EntmaxBlocksGrad[float32]))
	}
	return cases
}

// blockCase has n blocks of h elements.
func blockCase(name string, h int, f func(dst, x []float32, h int, scale float32)) kernelCase {
	return kernelCase{fmt.Sprintf("%s/%d", name, h), func(a *arrays, n int) func(cpu.Kernels) {
		dst, x := a.normal(n*h), a.normal(n*h)
		return func(cpu.Kernels) { f(dst, x, h, .7) }
	}}
}

func blockGradCase(name string, h int, f func(dx, dy, y []float32, h int, scale float32)) kernelCase {
	return kernelCase{fmt.Sprintf("%s/%d", name, h), func(a *arrays, n int) func(cpu.Kernels) {
		dx, dy, y := a.normal(n*h), a.normal(n*h), a.positive(n*h)
		return func(cpu.Kernels) { f(dx, dy, y, h, .7) }
	}}
}

func TestMixingConforms(t *testing.T) { conform(t, mixingCases(), 2e-6) }

// TestMixInPlace overwrites each of the slices.
func TestMixInPlace(t *testing.T) {
	for _, k := range cpu.Available() {
		want := make([]float32, testRows*33)
		k.Mix(want, drawMixture(newArrays(1, false), 33, true, true))
		for i := range 5 {
			m := drawMixture(newArrays(1, false), 33, true, true)
			dst := [][]float32{m.Self, m.Other, m.E, m.Alpha, m.Beta}[i]
			k.Mix(dst, m)
			sameBits(t, len(want), k, dst, want)
		}
	}
}
