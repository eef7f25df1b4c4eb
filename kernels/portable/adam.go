package portable

// AdamStep are the scalars of one step t of Adam. Those that are differences
// must be taken in float64: float32(0.999) is not 0.999.
type AdamStep[T Float] struct {
	Size         T // learning rate / (1 - beta1^t)
	Root         T // 1/sqrt(1 - beta2^t)
	Beta1, Rest1 T // decay of the mean, and 1 - beta1
	Beta2, Rest2 T // decay of the mean square, and 1 - beta2
	Eps          T
	WeightDecay  T // L2, added to the gradient
}

// Adam is one step of PyTorch's Adam on p with gradient g; mean and square
// are its moments:
//
//	g' = g + decay*p
//	mean = beta1*mean + (1 - beta1)*g'
//	square = beta2*square + (1 - beta2)*g'^2
//	p -= size*mean / (sqrt(square)*root + eps)
func Adam[T Float](p, g, mean, square []T, s AdamStep[T]) {
	for i := range p {
		gradient := fma(s.WeightDecay, p[i], g[i])
		mean[i] = fma(s.Rest1, gradient, T(s.Beta1*mean[i]))
		square[i] = fma(T(s.Rest2*gradient), gradient, T(s.Beta2*square[i]))
		p[i] -= s.Size * mean[i] / fma(sqrt(square[i]), s.Root, s.Eps)
	}
}

// Momentum is one step of stochastic gradient descent as PyTorch does it:
// velocity = momentum*velocity + g + decay*p, p -= rate*velocity. With a
// velocity of zeros and momentum 0 it is plain descent.
func Momentum[T Float](p, g, velocity []T, decay, momentum, rate T) {
	for i := range p {
		gradient := fma(decay, p[i], g[i])
		velocity[i] = fma(momentum, velocity[i], gradient)
		p[i] = fma(-rate, velocity[i], p[i])
	}
}
