package nn

import (
	"math"

	"dgsbench/kernels"
)

// hostNorm is a copy of a normalisation for single rows, as inference has
// it. The zero value does nothing.
type hostNorm struct {
	scale, shift []float32
	// of batch normalisation: running averages; nil takes those of the row
	mean, variance []float32
}

func hostNormOf(d kernels.Device, n *norm) hostNorm {
	if n == nil {
		return hostNorm{}
	}
	h := hostNorm{scale: read(d, n.scale), shift: read(d, n.shift)}
	if n.kind == WithBatch {
		h.mean, h.variance = read(d, n.mean), read(d, n.variance)
	}
	return h
}

// apply normalises a row in place.
func (n hostNorm) apply(x []float32) {
	if n.scale == nil {
		return
	}
	mean, variance := moments(x)
	for j, v := range x {
		if n.mean != nil {
			mean, variance = float64(n.mean[j]), float64(n.variance[j])
		}
		hat := float32((float64(v) - mean) / math.Sqrt(variance+normEps))
		x[j] = hat*n.scale[j] + n.shift[j]
	}
}

// moments are the mean of a row and its variance (divided by its length).
func moments(x []float32) (mean, variance float64) {
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean)
	}
	return mean, variance / float64(len(x))
}
