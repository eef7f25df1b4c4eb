package kernels

// Buffer is memory of a device: numbers that only the device can touch.
type Buffer interface {
	// Len is how many numbers it holds.
	Len() int
}

// Op says which operands of a matrix product are transposed.
type Op int

// C = A B, A transpose(B), transpose(A) B.
const (
	NN Op = iota
	NT
	TN
)

// Ints is a list on a device: row numbers, or offsets into another list.
type Ints interface {
	// Len is how many numbers it holds.
	Len() int
}

// Device runs kernels on buffers of its own. Matrices are row major without
// gaps. Sizes are active ones: a buffer may be larger. Calls on one device
// come from one goroutine, and take effect in the order in which they are
// made. Wrong sizes are programmer errors and panic. No kernel allocates.
type Device interface {
	// Name is the class of its kernels, as records call it: what differs in
	// it may differ in bits.
	Name() string

	Memory
	Threads
	Elementary
	Grouped
	Checks
	Rows
	Recurrent
	Attentive
	Normalising
	Mixing
	Forward
	Histogram

	// NewJacobians keeps Jacobians of one shape, none at first.
	NewJacobians(s JacobianShape) Jacobians
	// NewRanker serves rankings of at most so many events and dimensions.
	NewRanker(maxEvents, maxDim int) Ranker
}

// Memory is where numbers live and how they get there.
type Memory interface {
	// NewBuffer holds n zeros.
	NewBuffer(n int) Buffer
	// NewInts holds n zeros.
	NewInts(n int) Ints
	// View is a window of n numbers of b. It shares b's memory.
	View(b Buffer, offset, n int) Buffer
	// ViewInts is the same of a list.
	ViewInts(l Ints, offset, n int) Ints
	// Write copies src to the start of dst.
	Write(dst Buffer, src []float32)
	// Read copies the start of src to dst.
	Read(dst []float32, src Buffer)
	// WriteInts copies src to the start of dst.
	WriteInts(dst Ints, src []int32)
}

// Threads are how a device works on several things at once. Kernels may use
// them by themselves; whoever has calls that do not depend on each other can
// hand out whole sequences of calls instead, which costs less.
type Threads interface {
	// Threads is how many there are, at least one.
	Threads() int
	// Thread is a device that runs kernels on this one's buffers in thread i
	// alone. It is for calls within Together.
	Thread(i int) Device
	// Together calls f(0) to f(Threads()-1) at the same time and returns when
	// all have returned. Each may make calls on its Thread, and write to
	// buffers what no other one reads or writes.
	Together(f func(thread int))
	// Wide reports whether one large call is better than several small ones,
	// even where it moves more: a card has room for all of it at once.
	Wide() bool
}

// Elementary are matrix products, sums and what works on single numbers.
type Elementary interface {
	// Gemm is c (m x n) = op(a, b), k being the length of the sums; with
	// bias (n numbers, or nil) added to every row, and relu applied, where
	// asked for.
	Gemm(op Op, m, n, k int, a, b, c, bias Buffer, relu bool)
	// Zero is dst = 0.
	Zero(n int, dst Buffer)
	// Add is dst = a + b.
	Add(n int, dst, a, b Buffer)
	// Mul is dst = a b, elementwise.
	Mul(n int, dst, a, b Buffer)
	// Affine is dst = a x + b.
	Affine(n int, dst Buffer, a float64, x Buffer, b float64)
	// Blend is dst = keep dst + add x.
	Blend(n int, dst Buffer, keep float64, x Buffer, add float64)
	// AddReLU is dst = relu(a + b).
	AddReLU(n int, dst, a, b Buffer)
	// ReLUGrad is dst = g where y > 0, else 0.
	ReLUGrad(n int, dst, y, g Buffer)
	// Clamp is dst = min(max(dst, low), high); NaN stays.
	Clamp(n int, dst Buffer, low, high float64)
	// ColumnSums is dst (cols) = the sum over the rows of x.
	ColumnSums(rows, cols int, dst, x Buffer)
	// BCE is loss (1) = sum over rows of w (softplus(z) - z y): weighted
	// binary cross-entropy on logits.
	BCE(rows int, loss, z, y, w Buffer)
	// BCEGrad is dz = g w (sigmoid(z) - y), g (1) being the gradient of the
	// loss.
	BCEGrad(rows int, dz, z, y, w, g Buffer)
}
