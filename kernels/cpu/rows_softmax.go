package cpu

import (
	"fmt"

	"dgsbench/kernels/portable"
)

// SoftmaxBlocks is the softmax of scale*x over each contiguous block of h
// elements,
//
//	dst[j] = e^(scale*(x[j] - top)) / sum over the block of the same,
//
// top being the largest x of the block. scale is 1/temperature and positive;
// sums are those of Sum. dst may be x.
func (k Kernels) SoftmaxBlocks(dst, x []float32, h int, scale float32) {
	same("SoftmaxBlocks", len(dst), len(x))
	checkBlocks("SoftmaxBlocks", len(x), h)
	switch {
	case k.level == Portable:
		portable.SoftmaxBlocks(dst, x, h, scale)
	case k.level == AVX512 && h <= 16:
		softmaxPackedAVX512(dst, x, &packed16[h].rows[0][0], h, packed16[h].step, scale)
	case k.level == AVX2 && h <= 8:
		softmaxPackedAVX2(dst, x, &packed8[h].rows[0][0], h, packed8[h].step, scale)
	default:
		for at := 0; at < len(x); at += h {
			k.softmaxWide(dst[at:at+h], x[at:at+h], scale)
		}
	}
}

func (k Kernels) softmaxWide(dst, x []float32, scale float32) {
	if k.level == AVX512 {
		softmaxWideAVX512(dst, x, scale)
	} else {
		softmaxWideAVX2(dst, x, scale)
	}
}

// SoftmaxBlocksGrad is the gradient of x, from that of the softmax and from
// the softmax y itself: dx[j] = (dy[j] - sum of y*dy over the block) * y[j] * scale.
// dx may be dy.
func (k Kernels) SoftmaxBlocksGrad(dx, dy, y []float32, h int, scale float32) {
	same("SoftmaxBlocksGrad", len(dx), len(dy), len(y))
	checkBlocks("SoftmaxBlocksGrad", len(y), h)
	switch {
	case k.level == Portable:
		portable.SoftmaxBlocksGrad(dx, dy, y, h, scale)
	case k.level == AVX512 && h <= 16:
		softmaxGradPackedAVX512(dx, dy, y, &packed16[h].rows[0][0], h, packed16[h].step, scale)
	case k.level == AVX2 && h <= 8:
		softmaxGradPackedAVX2(dx, dy, y, &packed8[h].rows[0][0], h, packed8[h].step, scale)
	default:
		for at := 0; at < len(y); at += h {
			k.softmaxGradWide(dx[at:at+h], dy[at:at+h], y[at:at+h], scale)
		}
	}
}

func (k Kernels) softmaxGradWide(dx, dy, y []float32, scale float32) {
	if k.level == AVX512 {
		softmaxGradWideAVX512(dx, dy, y, scale)
	} else {
		softmaxGradWideAVX2(dx, dy, y, scale)
	}
}

func checkBlocks(kernel string, n, h int) {
	if h < 1 || n%h != 0 {
		panic(fmt.Sprintf("cpu: %s: %d elements are not whole blocks of %d", kernel, n, h))
	}
}
