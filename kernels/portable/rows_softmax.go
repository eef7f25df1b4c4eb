package portable

// SoftmaxBlocks is the softmax of scale*x over each contiguous block of h
// elements,
//
//	dst[j] = e^(scale*(x[j] - top)) / sum over the block of the same,
//
// top being the largest x of the block. scale is 1/temperature and positive;
// sums are those of [Sum].
func SoftmaxBlocks[T Float](dst, x []T, h int, scale T) {
	for ; len(x) > 0; dst, x = dst[h:], x[h:] {
		block := dst[:h]
		top := x[0]
		for _, v := range x[:h] {
			top = max(top, v)
		}
		for j, v := range x[:h] {
			block[j] = exp((v - top) * scale)
		}
		total := Sum(block)
		for j := range block {
			block[j] /= total
		}
	}
}

// SoftmaxBlocksGrad is the gradient of x, from that of the softmax and from
// the softmax y itself: dx[j] = (dy[j] - sum of y*dy over the block) * y[j] * scale.
func SoftmaxBlocksGrad[T Float](dx, dy, y []T, h int, scale T) {
	for at := 0; at < len(y); at += h {
		mean := Dot(y[at:at+h], dy[at:at+h])
		for j := at; j < at+h; j++ {
			dx[j] = (dy[j] - mean) * y[j] * scale
		}
	}
}

// DivideSumBlocks divides each contiguous block of h elements by its sum:
//
//	dst[j] = z[j] / (s + eps),  s = sum of z over the block.
//
// eps is added without regard to the sign of s. Where |s| < floor, s is
// replaced by floor with the sign of s.
func DivideSumBlocks[T Float](dst, z []T, h int, eps, floor T) {
	for ; len(z) > 0; dst, z = dst[h:], z[h:] {
		d, _ := denominator(Sum(z[:h]), eps, floor)
		for j, v := range z[:h] {
			dst[j] = v / d
		}
	}
}

// DivideSumBlocksGrad is the gradient of z, from that of the quotients y:
// dz[j] = (dy[j] - sum of y*dy over the block) / (s + eps). Where the floor
// acts the denominator is a constant: dz[j] = dy[j] / (s + eps).
func DivideSumBlocksGrad[T Float](dz, dy, y, z []T, h int, eps, floor T) {
	for at := 0; at < len(z); at += h {
		d, raised := denominator(Sum(z[at:at+h]), eps, floor)
		var mean T
		if !raised {
			mean = Dot(y[at:at+h], dy[at:at+h])
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
