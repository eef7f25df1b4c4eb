package cpu

import "dgsbench/kernels/portable"

// TimeEncode is dst[i,j] = cos(w[j]*dt[i] + b[j]) for rows i of dst, which
// are stride elements apart and len(w) wide. The product is rounded before
// the sum, as PyTorch does it; cos is that of Cos.
func (k Kernels) TimeEncode(dst []float32, stride int, dt, w, b []float32) {
	same("TimeEncode", len(w), len(b))
	rowsFit("TimeEncode", len(dst), len(dt), stride, len(w))
	far := newTimeRange(w, b)
	for i := range dt {
		row := dst[i*stride:][:len(w)]
		switch {
		case k.level == Portable || far.exceeds(dt[i]):
			portable.TimeEncode(row, stride, dt[i:i+1], w, b)
		case k.level == AVX512:
			timeForwardAVX512(row, w, b, dt[i])
		default:
			timeForwardAVX2(row, w, b, dt[i])
		}
	}
}

// TimeEncodeGrad adds the gradients of w and b, where dout is that of the
// encoding:
//
//	g[i,j] = dout[i,j] * sin(w[j]*dt[i] + b[j])
//	dw[j] -= sum over i of g[i,j]*dt[i],  db[j] -= sum over i of g[i,j]
//
// with the rows in order.
func (k Kernels) TimeEncodeGrad(dw, db, dout []float32, stride int, dt, w, b []float32) {
	same("TimeEncodeGrad", len(w), len(b), len(dw), len(db))
	rowsFit("TimeEncodeGrad", len(dout), len(dt), stride, len(w))
	far := newTimeRange(w, b)
	for i := range dt {
		row := dout[i*stride:][:len(w)]
		switch {
		case k.level == Portable || far.exceeds(dt[i]):
			portable.TimeEncodeGrad(dw, db, row, stride, dt[i:i+1], w, b)
		case k.level == AVX512:
			timeBackwardAVX512(dw, db, row, w, b, dt[i])
		default:
			timeBackwardAVX2(dw, db, row, w, b, dt[i])
		}
	}
}

// timeRange bounds the arguments of cos by the largest |w| and |b|.
type timeRange struct{ w, b float64 }

func newTimeRange(w, b []float32) timeRange { return timeRange{largest(w), largest(b)} }

// largest is the largest size in x, or NaN.
func largest(x []float32) float64 {
	var top float64
	for _, v := range x {
		top = max(top, float64(v), -float64(v))
	}
	return top
}

// exceeds reports whether an argument may lie beyond trigLimit.
func (r timeRange) exceeds(dt float32) bool {
	t := max(float64(dt), -float64(dt))
	return !(r.w*t+r.b < trigLimit)
}
