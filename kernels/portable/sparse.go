package portable

import (
	"math"
	"slices"

	"dgsbench/kernels"
)

// SparsemaxBlocks is, with z = scale x,
//
//	dst[j] = max(z[j] - tau, 0)
//
// with the tau that makes the sum of a block one, found by sorting (Martins and
// Astudillo, 2016, algorithm 1), in float64.
func (d *Device[T]) SparsemaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	to, from := d.blocks(dst, n, h), d.in(x, n)
	for ; len(from) > 0; to, from = to[h:], from[h:] {
		z := newDescent(to[:h], from[:h], T(scale))
		tau := sparsemaxThreshold(&z)
		for j, v := range from[:h] {
			to[j] = T(max(z.of(v)-tau, 0))
		}
	}
}

func sparsemaxThreshold[T Float](z *descent[T]) float64 {
	sum, tau := 0., 0.
	for k := 1; k <= len(z.sorted); k++ {
		next := z.at(k)
		if 1+float64(k)*next <= sum+next {
			break
		}
		sum += next
		tau = (sum - 1) / float64(k)
	}
	return tau
}

func (d *Device[T]) SparsemaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	sparsemaxBlocksGrad(d.blocks(dx, n, h), d.in(g, n), d.in(y, n), h, T(scale))
}

// sparsemaxBlocksGrad is, where y[j] > 0, dx[j] = scale (dy[j] - mean of dy over
// those elements of the block), and 0 elsewhere.
func sparsemaxBlocksGrad[T Float](dx, dy, y []T, h int, scale T) {
	for at := 0; at < len(y); at += h {
		sum, support := 0., 0
		for j := at; j < at+h; j++ {
			if y[j] > 0 {
				sum += float64(dy[j])
				support++
			}
		}
		mean := sum / float64(support)
		for j := at; j < at+h; j++ {
			dx[j] = 0
			if y[j] > 0 {
				dx[j] = T(float64(scale) * (float64(dy[j]) - mean))
			}
		}
	}
}

// descent are the elements of a block from the largest down, times a scale,
// less the largest: so that nothing large is summed.
type descent[T Float] struct {
	sorted     []T // ascending, NaN first
	top, scale float64
}

// newDescent sorts the block x in the memory given.
func newDescent[T Float](memory, x []T, scale T) descent[T] {
	copy(memory, x)
	slices.Sort(memory)
	top := float64(memory[len(memory)-1])
	if nan := memory[0]; nan != nan {
		top = float64(nan)
	}
	return descent[T]{memory, top, float64(scale)}
}

// at is the k-th largest, from 1 on.
func (d *descent[T]) at(k int) float64 { return d.of(d.sorted[len(d.sorted)-k]) }

// of is the scaled value of an element.
func (d *descent[T]) of(v T) float64 { return d.scale * (float64(v) - d.top) }

// EntmaxBlocks finds tau by sorting (Peters, Niculae and Martins, 2019,
// algorithm 2), in float64.
func (d *Device[T]) EntmaxBlocks(n, h int, scale float64, dst, x kernels.Buffer) {
	to, from := d.blocks(dst, n, h), d.in(x, n)
	for ; len(from) > 0; to, from = to[h:], from[h:] {
		z := newDescent(to[:h], from[:h], T(scale)/2)
		tau := entmaxThreshold(&z)
		for j, v := range from[:h] {
			root := max(z.of(v)-tau, 0)
			to[j] = T(root * root)
		}
	}
}

// entmaxThreshold tries the k largest as support, for which tau solves
// sum (z - tau)^2 = 1, as long as the k-th lies above it.
func entmaxThreshold[T Float](z *descent[T]) float64 {
	sum, squares, tau := 0., 0., 0.
	for k := 1; k <= len(z.sorted); k++ {
		next := z.at(k)
		sum += next
		squares += next * next
		mean := sum / float64(k)
		spread := (1 - (squares - mean*sum)) / float64(k)
		wanted := mean - math.Sqrt(max(spread, 0))
		if !(wanted <= next) { // nor with -Inf, whose square is no use
			break
		}
		tau = wanted
	}
	return tau
}

func (d *Device[T]) EntmaxBlocksGrad(n, h int, scale float64, dx, g, y kernels.Buffer) {
	entmaxBlocksGrad(d.blocks(dx, n, h), d.in(g, n), d.in(y, n), h, T(scale))
}

// entmaxBlocksGrad is, with s = sqrt(y), dx[j] = scale s[j] (dy[j] - sum of
// s dy over the block / sum of s).
func entmaxBlocksGrad[T Float](dx, dy, y []T, h int, scale T) {
	for at := 0; at < len(y); at += h {
		sum, weighted := 0., 0.
		for j := at; j < at+h; j++ {
			s := math.Sqrt(float64(y[j]))
			sum += s
			weighted += s * float64(dy[j])
		}
		mean := weighted / sum
		for j := at; j < at+h; j++ {
			dx[j] = T(float64(scale) * math.Sqrt(float64(y[j])) * (float64(dy[j]) - mean))
		}
	}
}
