package kernels

import (
	"errors"
	"fmt"
	"unsafe"

	"dgsbench/internal/ram"
)

// ErrMemory is in the Failure of a device whose memory is full.
var ErrMemory = errors.New("out of device memory")

// Host makes a buffer in the machine's own memory, of n zeros. It panics with a
// Failure, for ErrMemory, where there is no room for it.
func Host[E float32 | float64 | int32](n int) []E {
	bytes := int64(n) * int64(unsafe.Sizeof(E(0)))
	if err := ram.Check("a buffer", bytes); err != nil {
		panic(&Failure{fmt.Errorf("%w: %w", ErrMemory, err)})
	}
	out := make([]E, n)
	clear(out) // takes the pages now: the next buffer is not promised them, too
	return out
}

// Failure is what a device panics with when it fails by itself, for want of
// memory for example: none of its methods returns an error.
type Failure struct{ Err error }

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Err }

// CatchFailure makes a panic with a Failure an error of the function that
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
