package cpu_test

import (
	"fmt"
	"testing"

	"dgsbench/kernels/cpu"
)

func BenchmarkGemm(b *testing.B) {
	sizes := [][3]int{{200, 172, 100}, {200, 344, 100}, {400, 472, 300}, {472, 2500, 300}, {200, 100, 1}, {1, 172, 100}, {1, 100, 100}, {2, 572, 300}, {2, 172, 100}, {4, 172, 100}, {8, 172, 100}}
	for _, k := range cpu.Available() {
		for _, s := range sizes {
			for _, form := range []string{"NN", "NT", "TN"} {
				b.Run(fmt.Sprintf("%dx%dx%d/%s/%s", s[0], s[1], s[2], form, k.Level()), func(b *testing.B) {
					benchmarkGemm(b, k, product(s[0], s[2], s[1], form))
				})
			}
		}
	}
}

func benchmarkGemm(b *testing.B, k cpu.Kernels, g cpu.Gemm) {
	scratch := make([]float32, cpu.GemmScratch)
	for b.Loop() {
		k.Gemm(g, scratch)
	}
	flops := 2 * float64(g.M) * float64(g.N) * float64(g.K)
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func product(m, n, k int, form string) cpu.Gemm {
	g := cpu.Gemm{M: m, N: n, K: k, TransA: form[0] == 'T', TransB: form[1] == 'T', LDA: k, LDB: n, LDC: n}
	if g.TransA {
		g.LDA = m
	}
	if g.TransB {
		g.LDB = k
	}
	g.A, g.B, g.C = make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
	for i := range g.A {
		g.A[i] = float32(i%17)/8 - 1
	}
	for i := range g.B {
		g.B[i] = float32(i%13)/8 - 1
	}
	return g
}
