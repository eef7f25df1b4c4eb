package cpu_test

import (
	"fmt"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
)

// jacobianBatch is a batch of link prediction: as many states are written as
// Wikipedia has distinct nodes in 200 events, and 200 are only read.
const (
	jacobianWrites = 148
	jacobianReads  = 200
)

// BenchmarkJacobians measures steps, each of other states, against copies of
// memory. The traffic counts each Jacobian once as it is read and once as it
// is written.
func BenchmarkJacobians(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("copy/threads=%d", threads), func(b *testing.B) { benchmarkCopy(b, threads) })
	}
	for _, size := range []struct{ s, h, f, nodes int }{{100, 2, 172, 4000}, {250, 5, 172, 1400}, {250, 5, 7, 4000}} {
		for _, half := range []bool{false, true} {
			for _, k := range cpu.Available() {
				for _, threads := range []int{1, 2} {
					name := fmt.Sprintf("s=%d,h=%d,f=%d/half=%v/%s/threads=%d", size.s, size.h, size.f, half, k.Level(), threads)
					b.Run(name, func(b *testing.B) {
						shape := dgsShape(size.s, size.h, size.f)
						shape.Half = half
						benchmarkJacobians(b, cpu.NewDevice(k, threads), shape, size.nodes)
					})
				}
			}
		}
	}
}

// dgsShape is the shape of DGS with s numbers a state in softmaxes of h, one
// of which is left out.
func dgsShape(s, h, f int) kernels.JacobianShape {
	shape := kernels.JacobianShape{Features: f, States: s, Columns: s}
	for l := range s * (h - 1) {
		state := l / (h - 1)
		first := state / h * h
		shape.State = append(shape.State, int32(state))
		shape.Plus = append(shape.Plus, int32(first+l%(h-1)))
		shape.Minus = append(shape.Minus, int32(first+h-1))
	}
	return shape
}

func benchmarkJacobians(b *testing.B, d *cpu.Device, shape kernels.JacobianShape, nodes int) {
	rng := newRand(1)
	j := d.NewJacobians(shape)
	j.Grow(nodes)
	step := (&devicetest.JacobianStep{
		Keep: slices.Repeat([]float32{.5}, shape.States), Mix: slices.Repeat([]float32{.5}, shape.States),
		Drive: slices.Repeat([]float32{.1}, jacobianWrites*shape.Lanes()), X: slices.Repeat([]float32{.1}, shape.Features),
		Weights: slices.Repeat([]float32{.1}, (jacobianWrites+jacobianReads)*shape.States),
	}).On(d, &shape)
	step.Slots = make([]int32, jacobianWrites+jacobianReads)
	step.Writes = make([]kernels.JacobianWrite, jacobianWrites)
	order := rng.Perm(nodes)
	batch := func(first int) {
		for i := range step.Slots {
			step.Slots[i] = int32(order[(first+i)%nodes])
		}
		for i := range step.Writes {
			step.Writes[i] = kernels.JacobianWrite{Self: int32(i), Other: int32(i ^ 1), Slot: step.Slots[i]}
		}
		j.Step(step)
	}
	for first := 0; first < nodes; first += jacobianWrites {
		batch(first) // memory that was never written is not there
	}
	first := 0
	for b.Loop() {
		batch(first)
		first = (first + len(step.Slots)) % nodes
	}
	traffic(b, float64(shape.Bytes())*(2*jacobianWrites+jacobianReads))
}

// traffic reports the bytes of one iteration as a rate.
func traffic(b *testing.B, bytes float64) {
	b.ReportMetric(bytes*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
}

func benchmarkCopy(b *testing.B, threads int) {
	const n = 32 << 20
	from, to := slices.Repeat([]float32{1}, n), slices.Repeat([]float32{2}, n)
	pool := cpu.NewPool(threads)
	defer pool.Close()
	part := func(part int) {
		lo, hi := cpu.Split(n, threads, part)
		copy(to[lo:hi], from[lo:hi])
	}
	for b.Loop() {
		pool.Run(threads, part)
	}
	traffic(b, 2*4*n)
}
