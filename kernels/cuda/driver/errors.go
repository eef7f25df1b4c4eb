//go:build gpu

package driver

import (
	"bytes"
	"errors"
	"fmt"

	"dgsbench/kernels"
)

// ErrNoGPU is in every reason why there is no card to be had: no driver, no
// device of that number, a driver too old.
var ErrNoGPU = errors.New("no usable CUDA device")

// ErrMemory is in the error of an allocation that does not fit.
var ErrMemory = kernels.ErrMemory

// errorOutOfMemory is what the driver says then.
const errorOutOfMemory = 2

// failure is the error of a call for which the driver gave this number.
func failure(what string, number int, name, text string) error {
	err := fmt.Errorf("%s: error %d of the CUDA driver, %s: %s", what, number, name, text)
	if number == errorOutOfMemory {
		err = fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return err
}

// noDevice is the error of a number that no device has.
func noDevice(n, devices int) error {
	return fmt.Errorf("there is no device %d, this machine has %d (counted from 0)", n, devices)
}

// untilZero is the string in a buffer that the driver has written to.
func untilZero(buffer []byte) string {
	text, _, _ := bytes.Cut(buffer, []byte{0})
	return string(text)
}
