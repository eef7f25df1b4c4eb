package cpu

import "dgsbench/kernels/portable"

// AdamStep are the scalars of one step of Adam; see [portable.AdamStep].
type AdamStep = portable.AdamStep[float32]

// Adam is one step of PyTorch's Adam on p with gradient g; mean and square
// are its moments:
//
//	g' = g + decay*p
//	mean = beta1*mean + (1 - beta1)*g'
//	square = beta2*square + (1 - beta2)*g'^2
//	p -= size*mean / (sqrt(square)*root + eps)
func (k Kernels) Adam(p, g, mean, square []float32, s AdamStep) {
	same("Adam", len(p), len(g), len(mean), len(square))
	switch k.level {
	case AVX512:
		adamAVX512(p, g, mean, square, s.WeightDecay, s.Beta1, s.Rest1, s.Beta2, s.Rest2, s.Size, s.Root, s.Eps)
	case AVX2:
		adamAVX2(p, g, mean, square, s.WeightDecay, s.Beta1, s.Rest1, s.Beta2, s.Rest2, s.Size, s.Root, s.Eps)
	default:
		portable.Adam(p, g, mean, square, s)
	}
}

// Momentum is one step of stochastic gradient descent as PyTorch does it:
// velocity = momentum*velocity + g + decay*p, p -= rate*velocity. With a
// velocity of zeros and momentum 0 it is plain descent.
func (k Kernels) Momentum(p, g, velocity []float32, decay, momentum, rate float32) {
	same("Momentum", len(p), len(g), len(velocity))
	switch k.level {
	case AVX512:
		momentumAVX512(p, g, velocity, decay, momentum, rate)
	case AVX2:
		momentumAVX2(p, g, velocity, decay, momentum, rate)
	default:
		portable.Momentum(p, g, velocity, decay, momentum, rate)
	}
}
