package kernels

import (
	"errors"
	"fmt"
	"unsafe"

	"dgsbench/internal/ram"
)

// ErrMemory is wrapped by the Failure of a device whose memory is full.
var ErrMemory = errors.New("out of device memory")

// Allocate returns n zeros in the host's memory. It panics with a Failure that
// wraps ErrMemory if there is not enough.
func Allocate[E float32 | float64 | int32](n int) []E {
	bytes := int64(n) * int64(unsafe.Sizeof(E(0)))
	if err := ram.Check("a buffer", bytes); err != nil {
		panic(&Failure{fmt.Errorf("%w: %w", ErrMemory, err)})
	}
	out := make([]E, n)
	clear(out) // touches the pages now, so that the next check counts them
	return out
}

// Failure is what a device panics with when it fails by itself, for want of
// memory for example: none of its methods returns an error.
type Failure struct{ Err error }

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// CatchFailure turns a panic with a Failure into an error of the function that
// defers it. Other panics go on.
func CatchFailure(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Failure:
		*err = p
	default:
		panic(p)
	}
}
