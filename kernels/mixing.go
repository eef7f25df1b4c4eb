package kernels

// Mixing are the kernels of states that forget and mix with those of other
// nodes (equation 2 of the Deep-Graph-Sprints paper), and of what is mixed
// in. Gradients are set, not added.
type Mixing interface {
	// Sigmoid is dst = 1/(1 + e^-x).
	Sigmoid(n int, dst, x Buffer)
	// SigmoidGrad is dx = g y (1 - y), y being the result of Sigmoid.
	SigmoidGrad(n int, dx, g, y Buffer)
	// Mix is dst (Rows x Cols) =
	//
	//	beta self + (1 - beta) ((1 - alpha) e + alpha other)
	Mix(m *Mixture, dst Buffer)
	// MixGrad sets all parts of d from the gradient g of the result; E only if
	// m has one.
	MixGrad(m *Mixture, g Buffer, d *MixtureGrad)
	// SparsemaxBlocks is, in each block of h numbers of x, the point of the
	// simplex that is nearest to scale x (Martins and Astudillo, 2016). dst
	// is not x, as for EntmaxBlocks.
	SparsemaxBlocks(n, h int, scale float64, dst, x Buffer)
	// SparsemaxBlocksGrad is its gradient, y being its result.
	SparsemaxBlocksGrad(n, h int, scale float64, dx, g, y Buffer)
	// EntmaxBlocks is 1.5-entmax of scale x in each block: max(scale x / 2 -
	// tau, 0)^2 with the tau that makes the sum one (Peters, Niculae and
	// Martins, 2019).
	EntmaxBlocks(n, h int, scale float64, dst, x Buffer)
	// EntmaxBlocksGrad is its gradient, y being its result.
	EntmaxBlocksGrad(n, h int, scale float64, dx, g, y Buffer)
}

// Mixture is what Mix reads.
type Mixture struct {
	Rows, Cols  int
	Self, Other Buffer // Rows x Cols
	E           Buffer // Rows x Cols; nil stands for zeros
	Alpha, Beta Buffer // Cols, or Rows x Cols with PerRow
	PerRow      bool
	// From, where it is not nil, says which rows of the operands are read:
	// they may have more than Rows.
	From *MixtureRows
}

// MixtureRows are the rows that each row of a mixture reads: of Self, of
// Other, and of E (and with PerRow of Alpha and Beta).
type MixtureRows struct {
	Self, Other, E Ints
}

// MixtureGrad are the gradients of a Mixture, Rows x Cols each, those of
// Alpha and Beta too.
type MixtureGrad struct {
	Self, Other, E, Alpha, Beta Buffer
}
