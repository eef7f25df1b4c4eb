package portable

import (
	"fmt"

	"dgsbench/kernels"
)

func (d *Device[T]) SoftmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	d.k.SoftmaxBlocks(d.blocks(dst, n, h), d.in(x, n), h, T(scale))
}

func (d *Device[T]) SoftmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	d.k.SoftmaxBlocksGrad(d.blocks(dx, n, h), d.in(g, n), d.in(y, n), h, T(scale))
}

func (d *Device[T]) DivideSumBlocks(n, h int, eps, floor float64, dst, z kernels.Buffer) {
	d.k.DivideSumBlocks(d.blocks(dst, n, h), d.in(z, n), h, T(eps), T(floor))
}

func (d *Device[T]) DivideSumBlocksGrad(n, h int, eps, floor float64, dz, g, y, z kernels.Buffer) {
	d.k.DivideSumBlocksGrad(d.blocks(dz, n, h), d.in(g, n), d.in(y, n), d.in(z, n), h, T(eps), T(floor))
}

// blocks is in, and panics unless the elements are whole blocks of h.
func (d *Device[T]) blocks(b kernels.Buffer, n, h int) []T {
	if h < 1 || n%h != 0 {
		panic(fmt.Sprintf("kernels: %d elements are not whole blocks of %d", n, h))
	}
	return d.in(b, n)
}

func softmaxBlocks[T Float](dst, x []T, h int, scale T) {
	for ; len(x) > 0; dst, x = dst[h:], x[h:] {
		block := dst[:h]
		top := x[0]
		for _, v := range x[:h] {
			top = max(top, v)
		}
		for j, v := range x[:h] {
			block[j] = exp((v - top) * scale)
		}
		total := sum(block)
		for j := range block {
			block[j] /= total
		}
	}
}

func softmaxBlocksGrad[T Float](dx, dy, y []T, h int, scale T) {
	for at := 0; at < len(y); at += h {
		mean := dot(y[at:at+h], dy[at:at+h])
		for j := at; j < at+h; j++ {
			dx[j] = (dy[j] - mean) * y[j] * scale
		}
	}
}

func divideSumBlocks[T Float](dst, z []T, h int, eps, floor T) {
	for ; len(z) > 0; dst, z = dst[h:], z[h:] {
		d, _ := denominator(sum(z[:h]), eps, floor)
		for j, v := range z[:h] {
			dst[j] = v / d
		}
	}
}

func divideSumBlocksGrad[T Float](dz, dy, y, z []T, h int, eps, floor T) {
	for at := 0; at < len(z); at += h {
		d, raised := denominator(sum(z[at:at+h]), eps, floor)
		var mean T
		if !raised {
			mean = dot(y[at:at+h], dy[at:at+h])
		}
		for j := at; j < at+h; j++ {
			dz[j] = (dy[j] - mean) / d
		}
	}
}

// denominator is sum + eps, with a sum below floor in size raised to it.
func denominator[T Float](sum, eps, floor T) (d T, raised bool) {
	if abs(sum) < floor {
		return copysign(floor, sum) + eps, true
	}
	return sum + eps, false
}
