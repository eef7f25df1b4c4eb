package kernels

// Group is a list of buffers of a device that one call works on, such as all
// parameters of a network: on a card that is one launch.
type Group interface {
	// Buffers is how many there are. A single Buffer has no such method, so
	// that it is not taken for a group.
	Buffers() int
}

// Grouped are the kernels that work on whole groups.
type Grouped interface {
	// NewGroup lists buffers, all of whose numbers count.
	NewGroup(buffers ...Buffer) Group
	// Adam makes one step of PyTorch's Adam on p from gradients g; m and v
	// are the moments. There is no step if a buffer that was seen is bad
	// (Checks).
	Adam(p, g, m, v Group, s AdamStep)
	// Momentum makes one step of PyTorch's SGD on p from gradients g: v =
	// momentum v + g + decay p, then p -= rate v. There is no step if a
	// buffer that was seen is bad.
	Momentum(p, g, v Group, rate, momentum, decay float64)
}

// Largest is the largest magnitude of gradients and of parameters that are moved:
// of smaller ones moments and steps are finite.
const Largest = 1e18

// Checks look for bad numbers: those that are not finite. A device remembers which of
// the buffers that it has seen are bad, until it is asked: many buffers cost
// one answer, and it comes with a number that is read anyway. Nobody need wait
// for it before that: what changes numbers that last beyond a batch, such as a
// step of an optimiser, does nothing after a bad buffer until it was asked.
type Checks interface {
	// Watch forgets what was seen.
	Watch()
	// See looks at the first n numbers of b, and returns the place of b
	// among all buffers that were seen: 0 for the first.
	See(n int, b Buffer) int
	// SeeAll looks at all buffers of a group, and returns the place of the
	// first of them. The others follow. Here, numbers beyond +-Largest are bad,
	// too.
	SeeAll(g Group) int
	// FirstBad is the place of the first buffer that has a bad number, or -1. It reads the start of src to dst, like Read, and forgets
	// what was seen. Without dst, src may be nil.
	FirstBad(dst []float32, src Buffer) int
	// Finite reports whether all n numbers are finite. It forgets nothing.
	Finite(n int, b Buffer) bool
}

// AdamStep are the scalars of one step: Size is lr/(1-beta1^t), Root is
// 1/sqrt(1-beta2^t), Rest1 and Rest2 are 1-beta1 and 1-beta2, all taken in
// float64 before they were rounded.
type AdamStep struct {
	Size, Root                 float32
	Beta1, Rest1, Beta2, Rest2 float32
	Eps, WeightDecay           float32
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
