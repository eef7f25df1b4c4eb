package kernels

// JacobianShape says what the Jacobian of one state holds: Lanes x Features
// numbers. Lane l is the derivative of number State[l] of the state with
// respect to the weights of one output of a linear layer, a number for each
// of its inputs (features).
type JacobianShape struct {
	Features int
	States   int     // numbers of a state
	State    []int32 // lane -> number of the state
	// Plus and Minus name, for each lane, the column of the gradient that it
	// is added to and the one that it is subtracted from; -1 is none.
	Plus, Minus []int32
	Columns     int  // of the gradient
	Half        bool // keep bfloat16 numbers: half the memory, 8 bits of precision
}

// Lanes is the number of lanes.
func (s JacobianShape) Lanes() int { return len(s.State) }

// Bytes is the memory of one Jacobian.
func (s JacobianShape) Bytes() int64 {
	size := int64(4)
	if s.Half {
		size = 2
	}
	return size * int64(s.Lanes()) * int64(s.Features)
}

// Jacobians keeps the Jacobians of many states in numbered slots and carries
// them forward.
type Jacobians interface {
	// Grow makes room for slots 0 to n-1. Old ones keep their numbers.
	Grow(n int)
	// Step works a batch off: each Jacobian is read once and written once.
	// There is no step if a buffer that was seen is bad (Checks).
	Step(s *JacobianStep)
	// Read copies the Jacobian of a slot, Lanes x Features, for tests.
	Read(dst []float32, slot int)
}

// JacobianStep is what a batch does to the Jacobians of the states that it
// touches. All reads come before the first write.
type JacobianStep struct {
	// Slots are those of the touched states, each once; -1 stands for a
	// Jacobian of zeros, which has no slot yet.
	Slots []int32

	// Weights (len(Slots) x States) are the gradients of the loss for the
	// touched states. Where it is not nil, Grad (Features x Columns) is set:
	//
	//	Grad[c, Plus[l]]  += sum over the touched i of Weights[i, State[l]] J_i[l, c]
	//	Grad[c, Minus[l]] -= the same
	Weights, Grad Buffer

	// Writes are the states that change.
	Writes []JacobianWrite
	// Keep and Mix are States numbers, or a row of them for each write with
	// PerWrite; Drive is a row of Lanes numbers for each write; X has rows of
	// Features.
	Keep, Mix, Drive, X Buffer
	PerWrite            bool
}

// JacobianWrite is a new Jacobian: for write w, with the lanes' numbers of
// the state j = State[l],
//
//	J'[l, c] = Keep[j] J_self[l, c] + Mix[j] J_other[l, c] + Drive[w, l] X[Row, c]
type JacobianWrite struct {
	Self, Other int32 // positions in Slots
	Slot        int32 // that takes it; that of Self if it has one
	Row         int32 // of X
}
