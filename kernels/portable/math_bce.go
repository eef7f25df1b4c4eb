package portable

// BCELoss is the weighted binary cross-entropy of logits x and targets y,
//
//	loss = w * (max(x, 0) - x*y + log(1 + e^-|x|)),
//
// row by row. It returns the sum over the rows, taken in order in float64.
func BCELoss[T Float](loss, x, y, w []T) float64 {
	for i, v := range x {
		linear := fma(-v, y[i], max(v, 0))
		loss[i] = (linear + log1pExp(v)) * w[i]
	}
	return SumInOrder(loss)
}

// BCEGrad is the gradient of scale times that sum,
// dx = scale * w * (sigmoid(x) - y).
func BCEGrad[T Float](dx, x, y, w []T, scale T) {
	for i, v := range x {
		dx[i] = scale * w[i] * (sigmoid(v) - y[i])
	}
}
