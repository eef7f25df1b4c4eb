package kernels

import "errors"

// ErrMemory is in the Failure of a device whose own memory is full.
var ErrMemory = errors.New("out of device memory")

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
