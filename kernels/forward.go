package kernels

// Forward are the kernels of derivatives that are carried forward with the
// states that they are of (real-time recurrent learning).
type Forward interface {
	// MixForward is Mix, and sets what f has of derivatives.
	MixForward(m *Mixture, dst Buffer, f *MixtureForward)
	// BlockDerivatives sets those of blocks that were rescaled.
	BlockDerivatives(b *BlockDerivatives)
	// ContractRows sets each buffer of dst (cols) to the sum over i of w[i,j]
	// src[index[i],j], src (srcRows x cols) being the one of its group. With
	// y (cols each, or nil), results of Sigmoid, it is the SigmoidGrad of the
	// sum.
	ContractRows(rows, srcRows, cols int, dst Group, w Buffer, src Group, index Ints, y Group)
	// CommitRows copies row i of each buffer of src to row index[i] of that of
	// dst, all cols wide; of rows with one index the last is kept. Nothing is
	// copied if a buffer that was seen is bad (Checks).
	CommitRows(rows, cols int, dst, src Group, index Ints)
}

// MixtureForward are derivatives of a mixture, number by number, and those of
// the states by alpha and beta, which have come a long way.
type MixtureForward struct {
	// Step has the derivatives of the result by its operands, Rows x Cols
	// each: MixGrad of ones.
	Step MixtureGrad
	// Logits says that alpha and beta are results of Sigmoid, and those of
	// Step by what they were made from.
	Logits bool
	// Alpha and Beta are tangents of the states that go in and of those that
	// come out.
	Alpha, Beta Tangent
}

// Tangent is a derivative of states, a row for each. Dst (Rows x Cols) is set
// to
//
//	beta Table[self] + (1 - beta) alpha Table[other] + Step.Alpha or Step.Beta
//
// with rows as those of the mixture's Self and Other.
type Tangent struct{ Table, Dst Buffer }

// Rescaling is how blocks of numbers are made to sum to one.
type Rescaling int

// Those of SoftmaxBlocks, DivideSumBlocks, SparsemaxBlocks and EntmaxBlocks.
const (
	Softmax Rescaling = iota
	DivideSum
	Sparsemax
	Entmax
)

// BlockDerivatives are those of y, z rescaled in blocks of H, by z. Of each
// row i and number r of each block b, one after another, it sets
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
