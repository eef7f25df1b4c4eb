// Package kernels defines the mathematics below nn: devices with kernels on
// buffers, which know nothing of models. Package cpu has those of the processor.
package kernels

// Buffer is memory of a device: numbers that only the device accesses.
type Buffer interface {
	// Len is the number of elements.
	Len() int
}

// Ints is a list on a device: row numbers, or offsets into another list.
type Ints interface {
	// Len is the number of elements.
	Len() int
}

// Device runs kernels on its own buffers. Matrices are row-major without
// gaps. Sizes are active ones: a buffer may be larger. Calls on one device
// come from one goroutine and take effect in the order in which they are
// made. Wrong sizes are programming errors and panic. No kernel allocates.
// Scalars are float64 and rounded to the device's own type.
//
// Capabilities beyond these are interfaces of their own (Fuser, Repeater,
// Recorder, MemoryOwner).
type Device interface {
	// Name is the class of its kernels, as records call it: results of
	// different classes may differ in bits.
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

	// NewJacobians returns storage for Jacobians of one shape, empty at first.
	NewJacobians(s JacobianShape) Jacobians
	// NewRanker returns a ranker for at most maxEvents events and maxDim
	// dimensions at once.
	NewRanker(maxEvents, maxDim int) Ranker
}

// Memory makes buffers and copies between them and the host.
type Memory interface {
	// NewBuffer returns n zeros.
	NewBuffer(n int) Buffer
	// NewInts returns n zeros.
	NewInts(n int) Ints
	// View returns elements offset to offset+n-1 of b. It shares b's memory.
	View(b Buffer, offset, n int) Buffer
	// ViewInts returns elements offset to offset+n-1 of l. It shares l's
	// memory.
	ViewInts(l Ints, offset, n int) Ints
	// Write copies src to the start of dst.
	Write(dst Buffer, src []float32)
	// WriteFloat64 copies src to the start of dst, each number rounded to the
	// device's own type. It is for numbers that are computed, such as the
	// 1/n of a mean; data are float32.
	WriteFloat64(dst Buffer, src []float64)
	// Read copies the start of src to dst.
	Read(dst []float32, src Buffer)
	// WriteInts copies src to the start of dst.
	WriteInts(dst Ints, src []int32)
}

// Threads divide work. Kernels may use them by themselves; callers with
// sequences of calls that do not depend on each other divide these sequences
// instead, which costs less.
type Threads interface {
	// Threads is the number of threads, at least one.
	Threads() int
	// Thread returns a device that runs kernels on this one's buffers in
	// thread i alone. It is used within Parallel.
	Thread(i int) Device
	// Parallel calls f(0) to f(Threads()-1) concurrently and returns when
	// all have returned. Each call may use its Thread and write to buffers
	// that no other one reads or writes.
	Parallel(f func(thread int))
}

// Op says which operands of a matrix product are transposed.
type Op int

// C = A B, A transpose(B), transpose(A) B.
const (
	NN Op = iota
	NT
	TN
)

// Elementary are matrix products, sums and elementwise kernels.
type Elementary interface {
	// Gemm is c (m x n) = op(a, b) with sums over k elements; bias (n
	// numbers, or nil) is added to every row, and then, with relu, negative
	// results become zero.
	Gemm(op Op, m, n, k int, a, b, c, bias Buffer, relu bool)
	// Zero is dst = 0.
	Zero(n int, dst Buffer)
	// Add is dst = a + b. Any of these may be one buffer.
	Add(n int, dst, a, b Buffer)
	// Mul is dst = a b, elementwise. Any of these may be one buffer.
	Mul(n int, dst, a, b Buffer)
	// Affine is dst = a x + b.
	Affine(n int, dst Buffer, a float64, x Buffer, b float64)
	// AddReLU is dst = relu(a + b). Any of these may be one buffer.
	AddReLU(n int, dst, a, b Buffer)
	// ReLUGrad is dst = g where y > 0, else 0.
	ReLUGrad(n int, dst, y, g Buffer)
	// Clamp is dst = min(max(dst, low), high); NaN stays NaN.
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
