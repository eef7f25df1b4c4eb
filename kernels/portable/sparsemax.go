package portable

import "slices"

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
