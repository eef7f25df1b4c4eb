package cpu

import "dgsbench/kernels/portable"

// DivideSumBlocks divides each contiguous block of h elements by its sum:
//
//	dst[j] = z[j] / (s + eps),  s = sum of z over the block.
//
// eps is added without regard to the sign of s. Where |s| < floor, s is
// replaced by floor with the sign of s. Sums are those of Sum. dst may be z.
func (k Kernels) DivideSumBlocks(dst, z []float32, h int, eps, floor float32) {
	same("DivideSumBlocks", len(dst), len(z))
	checkBlocks("DivideSumBlocks", len(z), h)
	switch {
	case k.level == Portable:
		portable.DivideSumBlocks(dst, z, h, eps, floor)
	case k.level == AVX512 && h <= 16:
		divideSumPackedAVX512(dst, z, &packed16[h].rows[0][0], h, packed16[h].step, eps, floor)
	case k.level == AVX2 && h <= 8:
		divideSumPackedAVX2(dst, z, &packed8[h].rows[0][0], h, packed8[h].step, eps, floor)
	default:
		for at := 0; at < len(z); at += h {
			k.divideSumWide(dst[at:at+h], z[at:at+h], eps, floor)
		}
	}
}

func (k Kernels) divideSumWide(dst, z []float32, eps, floor float32) {
	if k.level == AVX512 {
		divideSumWideAVX512(dst, z, eps, floor)
	} else {
		divideSumWideAVX2(dst, z, eps, floor)
	}
}

// DivideSumBlocksGrad is the gradient of z, from that of the quotients y:
// dz[j] = (dy[j] - sum of y*dy over the block) / (s + eps). Where the floor
// acts the denominator is a constant: dz[j] = dy[j] / (s + eps). dz may be dy.
func (k Kernels) DivideSumBlocksGrad(dz, dy, y, z []float32, h int, eps, floor float32) {
	same("DivideSumBlocksGrad", len(dz), len(dy), len(y), len(z))
	checkBlocks("DivideSumBlocksGrad", len(z), h)
	switch {
	case k.level == Portable:
		portable.DivideSumBlocksGrad(dz, dy, y, z, h, eps, floor)
	case k.level == AVX512 && h <= 16:
		divideSumGradPackedAVX512(dz, dy, y, z, &packed16[h].rows[0][0], h, packed16[h].step, eps, floor)
	case k.level == AVX2 && h <= 8:
		divideSumGradPackedAVX2(dz, dy, y, z, &packed8[h].rows[0][0], h, packed8[h].step, eps, floor)
	default:
		for at := 0; at < len(z); at += h {
			k.divideSumGradWide(dz[at:at+h], dy[at:at+h], y[at:at+h], z[at:at+h], eps, floor)
		}
	}
}

func (k Kernels) divideSumGradWide(dz, dy, y, z []float32, eps, floor float32) {
	if k.level == AVX512 {
		divideSumGradWideAVX512(dz, dy, y, z, eps, floor)
	} else {
		divideSumGradWideAVX2(dz, dy, y, z, eps, floor)
	}
}
