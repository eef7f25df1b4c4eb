package portable

import (
	"math"
	"slices"
)

// softmaxBlocks is [Kernels.SoftmaxBlocks].
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

// softmaxBlocksGrad is [Kernels.SoftmaxBlocksGrad].
func softmaxBlocksGrad[T Float](dx, dy, y []T, h int, scale T) {
	for at := 0; at < len(y); at += h {
		mean := dot(y[at:at+h], dy[at:at+h])
		for j := at; j < at+h; j++ {
			dx[j] = (dy[j] - mean) * y[j] * scale
		}
	}
}

// divideSumBlocks is [Kernels.DivideSumBlocks].
func divideSumBlocks[T Float](dst, z []T, h int, eps, floor T) {
	for ; len(z) > 0; dst, z = dst[h:], z[h:] {
		d, _ := denominator(sum(z[:h]), eps, floor)
		for j, v := range z[:h] {
			dst[j] = v / d
		}
	}
}

// divideSumBlocksGrad is [Kernels.DivideSumBlocksGrad].
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

// SparsemaxBlocks is, in each contiguous block of h elements, the point of
// the simplex that is nearest to z = scale*x:
//
//	dst[j] = max(z[j] - tau, 0)
//
// with the tau that makes the sum one, found by sorting (Martins and
// Astudillo, 2016, algorithm 1), in float64. dst and x must not overlap.
func SparsemaxBlocks[T Float](dst, x []T, h int, scale T) {
	for ; len(x) > 0; dst, x = dst[h:], x[h:] {
		z := newDescent(dst[:h], x[:h], scale)
		tau := sparsemaxThreshold(&z)
		for j, v := range x[:h] {
			dst[j] = T(max(z.of(v)-tau, 0))
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

// SparsemaxBlocksGrad is the gradient of x, from that of the result and from
// the result y itself: where y[j] > 0, dx[j] = scale*(dy[j] - mean of dy over
// those elements of the block), and 0 elsewhere.
func SparsemaxBlocksGrad[T Float](dx, dy, y []T, h int, scale T) {
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

// EntmaxBlocks is 1.5-entmax of z = scale*x in each contiguous block of h
// elements,
//
//	dst[j] = max(z[j]/2 - tau, 0)^2
//
// with the tau that makes the sum one, found by sorting (Peters, Niculae and
// Martins, 2019, algorithm 2), in float64. dst and x must not overlap.
func EntmaxBlocks[T Float](dst, x []T, h int, scale T) {
	for ; len(x) > 0; dst, x = dst[h:], x[h:] {
		z := newDescent(dst[:h], x[:h], scale/2)
		tau := entmaxThreshold(&z)
		for j, v := range x[:h] {
			root := max(z.of(v)-tau, 0)
			dst[j] = T(root * root)
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

// EntmaxBlocksGrad is the gradient of x, from that of the result and from
// the result y itself: with s = sqrt(y), dx[j] = scale*s[j]*(dy[j] - sum of
// s*dy over the block / sum of s).
func EntmaxBlocksGrad[T Float](dx, dy, y []T, h int, scale T) {
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
