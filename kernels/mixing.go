package kernels

// Mixing are the kernels of states that decay and mix with those of other
// nodes (equation 2 of the Deep-Graph-Sprints paper), and of the embeddings
// that are mixed in. Gradients are set, not added.
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
	// SparsemaxBlocks is, in each block of h elements of x, the point of the
	// simplex that is nearest to scale x (Martins and Astudillo, 2016). dst
	// must not be x, here and in EntmaxBlocks.
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
	// From, if it is not nil, lists the rows of the operands that are read:
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

// Forward are the kernels of forward-mode derivatives, which are updated
// together with the states that they are derivatives of (real-time recurrent
// learning).
type Forward interface {
	// MixForward is Mix, and sets the derivatives in f.
	MixForward(m *Mixture, dst Buffer, f *MixtureForward)
	// BlockDerivatives sets the derivatives of rescaled blocks.
	BlockDerivatives(b *BlockDerivatives)
	// ContractRows sets each buffer of dst (cols) to the sum over i of w[i,j]
	// src[index[i],j], src (srcRows x cols) being the one of its group. With
	// y (cols each, or nil), results of Sigmoid, it is the SigmoidGrad of the
	// sum.
	ContractRows(rows, srcRows, cols int, dst Group, w Buffer, src Group, index Ints, y Group)
	// CommitRows copies row i of each buffer of src to row index[i] of that of
	// dst, all cols wide; of rows with one index the last wins. Nothing is
	// copied after a bad buffer (Checks).
	CommitRows(rows, cols int, dst, src Group, index Ints)
}

// MixtureForward are derivatives of a mixture, element by element, and those
// of the states by alpha and beta over all past events.
type MixtureForward struct {
	// Step has the derivatives of the result by its operands, Rows x Cols
	// each: MixGrad of ones.
	Step MixtureGrad
	// Logits says that alpha and beta are results of Sigmoid, and that Step
	// and the tangents are derivatives by the logits.
	Logits bool
	// Alpha and Beta are tangents of the states before and after the event.
	Alpha, Beta Tangent
}

// Tangent is a derivative of states, a row for each. Dst (Rows x Cols) is set
// to
//
//	beta Table[self] + (1 - beta) alpha Table[other] + Step.Alpha or Step.Beta
//
// with rows as those of the mixture's Self and Other.
type Tangent struct{ Table, Dst Buffer }

// Rescaling is a way to make blocks of numbers sum to one.
type Rescaling int

// Those of SoftmaxBlocks, DivideSumBlocks, SparsemaxBlocks and EntmaxBlocks.
const (
	Softmax Rescaling = iota
	DivideSum
	Sparsemax
	Entmax
)

// BlockDerivatives are those of y, which is z rescaled in blocks of H, by z.
// For each row i, and element r of each block b, one after another, it sets
//
//	Dst[i, (r Blocks + b) Kept + q] = P[i, b H + r] dy[b H + r] / dz[b H + q],  q < Kept
//
// where y and z are rows Index[i] of Y and Z.
type BlockDerivatives struct {
	By         Rescaling
	Scale      float64 // as in the kernel that has rescaled
	Eps, Floor float64 // those of DivideSum

	Rows, Blocks, H, Kept int
	Dst                   Buffer
	Stride                int    // from one row of Dst to the next
	P, Y, Z               Buffer // rows of Blocks x H; Z only for DivideSum
	Index                 Ints
}
