package kernels

// Group is a list of buffers of a device that one call works on, such as all
// parameters of a network: on a card that is one launch.
type Group interface {
	// Buffers is the number of buffers. A single Buffer has no such method
	// and so is not taken for a group.
	Buffers() int
}

// Grouped are the kernels that work on whole groups.
type Grouped interface {
	// NewGroup lists buffers, all elements of which count.
	NewGroup(buffers ...Buffer) Group
	// Adam makes one step of PyTorch's Adam on p from gradients g; m and v
	// are the moments. There is no step after a bad buffer (Checks).
	Adam(p, g, m, v Group, s AdamStep)
	// Momentum makes one step of PyTorch's SGD on p from gradients g: v =
	// momentum v + g + decay p, then p -= rate v. There is no step after a
	// bad buffer.
	Momentum(p, g, v Group, rate, momentum, decay float64)
}

// AdamStep are the scalars of one step: Size is lr/(1-beta1^t), Root is
// 1/sqrt(1-beta2^t), Rest1 and Rest2 are 1-beta1 and 1-beta2, taken in float64
// because float32(0.999) is not 0.999.
type AdamStep struct {
	Size, Root                 float64
	Beta1, Rest1, Beta2, Rest2 float64
	Eps, WeightDecay           float64
}

// MaxMagnitude is the largest magnitude that gradients and parameters may
// have: of smaller ones moments and steps are finite.
const MaxMagnitude = 1e18

// Checks find buffers with bad numbers, those that are not finite. A device
// remembers which of the checked buffers are bad until FirstBad asks: many
// buffers cost one answer, which comes with a number that is read anyway.
// Nobody has to wait for the answer before that: kernels that change numbers
// that last beyond a batch, such as a step of an optimiser, do nothing between
// a bad buffer and FirstBad.
type Checks interface {
	// ResetChecks forgets all checked buffers.
	ResetChecks()
	// CheckFinite checks the first n numbers of b. It returns the place of b
	// among all checked buffers, 0 for the first.
	CheckFinite(n int, b Buffer) int
	// CheckGroup checks all buffers of a group, and returns the place of the
	// first of them; the others follow. Here numbers beyond +-MaxMagnitude are
	// bad, too.
	CheckGroup(g Group) int
	// FirstBad returns the place of the first bad buffer, or -1. It reads the
	// start of src to dst, like Read, and forgets all checked buffers.
	// Without dst, src may be nil.
	FirstBad(dst []float32, src Buffer) int
	// IsFinite reports whether all n numbers are finite, and forgets nothing.
	IsFinite(n int, b Buffer) bool
}

// CheckGroups panics if groups have buffers of different sizes.
func CheckGroups[B Buffer](groups ...[]B) {
	for _, g := range groups {
		if len(g) != len(groups[0]) {
			panic("kernels: groups of different lengths")
		}
		for i, b := range g {
			if b.Len() != groups[0][i].Len() {
				panic("kernels: groups of buffers of different sizes")
			}
		}
	}
}
