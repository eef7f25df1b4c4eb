package portable

import "math"

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
