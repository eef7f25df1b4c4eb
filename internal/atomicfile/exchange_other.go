//go:build !linux && !darwin

package atomicfile

import "errors"

// exchange makes two paths change places at once, which this system cannot.
func exchange(a, b string) error { return errors.ErrUnsupported }
