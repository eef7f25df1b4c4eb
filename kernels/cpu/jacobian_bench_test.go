package cpu_test

import (
	"fmt"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
)

func BenchmarkJacobians(b *testing.B) {
	for _, c := range []struct{ s, h, f, nodes int }{{100, 2, 172, 9000}, {250, 5, 172, 2000}, {250, 5, 7, 7000}} {
		for _, k := range cpu.Available()[1:] {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("s=%d,h=%d,f=%d/%s/threads=%d", c.s, c.h, c.f, k.Level(), threads), func(b *testing.B) {
					d := cpu.NewDevice(k, threads)
					lanes := c.s * (c.h - 1)
					shape := kernels.JacobianShape{Features: c.f, States: c.s, Columns: c.s}
					for l := range lanes {
						shape.State = append(shape.State, int32(l/(c.h-1)))
						shape.Plus = append(shape.Plus, int32(l/(c.h-1)/c.h*c.h+l%(c.h-1)))
						shape.Minus = append(shape.Minus, int32(l/(c.h-1)/c.h*c.h+c.h-1))
					}
					j := d.NewJacobians(shape)
					j.Grow(c.nodes)
					rng := newRand(1)
					const written, read = 148, 200
					random := func(n int) kernels.Buffer {
						x := make([]float32, n)
						for i := range x {
							x[i] = rng.Float32() * .1
						}
						buf := d.NewBuffer(n)
						d.Write(buf, x)
						return buf
					}
					s := &kernels.JacobianStep{Weights: random((written + read) * c.s), Grad: random(c.f * c.s), Keep: random(c.s), Mix: random(c.s), Drive: random(written * lanes), X: random(200 * c.f)}
					for i := range written {
						s.Writes = append(s.Writes, kernels.JacobianWrite{Self: int32(i), Other: int32(i ^ 1), Row: int32(i)})
					}
					perm := rng.Perm(c.nodes)
					at := 0
					batch := func() {
						if at+written+read > len(perm) {
							at = 0
						}
						s.Slots = s.Slots[:0]
						for i := range written + read {
							s.Slots = append(s.Slots, int32(perm[at+i]))
						}
						at += written + read
						for i := range written {
							s.Writes[i].Slot = s.Slots[i]
						}
						j.Step(s)
					}
					for range c.nodes / 300 {
						batch()
					}
					for b.Loop() {
						batch()
					}
					bytes := float64(shape.Bytes()) * (2*written + read) * float64(b.N)
					b.ReportMetric(bytes/b.Elapsed().Seconds()/1e9, "GB/s")
				})
			}
		}
	}
}
