package portable

// Rows are the kernels on single rows that larger ones are made of. [Plain]
// has them in Go, the levels of package cpu in assembly. They are the
// functions of the same names in this package.
type Rows[T Float] interface {
	Add(dst, a, b []T)
	Sub(dst, a, b []T)
	Mul(dst, a, b []T)
	AddMul(dst, a, b []T)
	Affine(dst []T, a T, x []T, b T)
	Axpy(y []T, a T, x []T)
	AxpySum(y []T, a T, u, v []T)
	Sum(x []T) T
	Dot(a, b []T) T
	DotSum(a, u, v []T) T
	Exp(dst, x []T)
	EdgeGrad(dq, dk, dv, de, q, k, e, out []T, score, weight T)
}

// Plain are the functions of this package.
type Plain[T Float] struct{}

// Add is [Add].
func (Plain[T]) Add(dst, a, b []T) { Add(dst, a, b) }

// Sub is [Sub].
func (Plain[T]) Sub(dst, a, b []T) { Sub(dst, a, b) }

// Mul is [Mul].
func (Plain[T]) Mul(dst, a, b []T) { Mul(dst, a, b) }

// AddMul is [AddMul].
func (Plain[T]) AddMul(dst, a, b []T) { AddMul(dst, a, b) }

// Affine is [Affine].
func (Plain[T]) Affine(dst []T, a T, x []T, b T) { Affine(dst, a, x, b) }

// Axpy is [Axpy].
func (Plain[T]) Axpy(y []T, a T, x []T) { Axpy(y, a, x) }

// AxpySum is [AxpySum].
func (Plain[T]) AxpySum(y []T, a T, u, v []T) { AxpySum(y, a, u, v) }

// Sum is [Sum].
func (Plain[T]) Sum(x []T) T { return Sum(x) }

// Dot is [Dot].
func (Plain[T]) Dot(a, b []T) T { return Dot(a, b) }

// DotSum is [DotSum].
func (Plain[T]) DotSum(a, u, v []T) T { return DotSum(a, u, v) }

// Exp is [Exp].
func (Plain[T]) Exp(dst, x []T) { Exp(dst, x) }

// EdgeGrad is [EdgeGrad].
func (Plain[T]) EdgeGrad(dq, dk, dv, de, q, k, e, out []T, score, weight T) {
	EdgeGrad(dq, dk, dv, de, q, k, e, out, score, weight)
}
