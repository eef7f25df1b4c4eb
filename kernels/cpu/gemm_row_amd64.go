//go:build amd64 && !purego

package cpu

// gemmRow computes a single row. It reads B once, as it lies.
func gemmRow(level Level, g *Gemm) {
	next := 1
	if g.TransA {
		next = g.LDA
	}
	width := 8 * tileOf(level).lanes
	for j := 0; j < g.N; j += width {
		var a, b, bias *float32
		if g.K > 0 {
			a, b = &g.A[0], &g.B[j]
		}
		if g.Bias != nil {
			bias = &g.Bias[j]
		}
		c, cols := &g.C[j], min(width, g.N-j)
		if level == AVX512 {
			gemmRowAVX512(a, uintptr(next)*4, b, uintptr(g.LDB)*4, c, g.K, cols, bias, g.Accumulate, g.ReLU)
		} else {
			gemmRowAVX2(a, uintptr(next)*4, b, uintptr(g.LDB)*4, c, g.K, cols, bias, g.Accumulate, g.ReLU)
		}
	}
}
