//go:build gpu

// Package driver is the part of CUDA's driver API that this project needs. It
// takes the build tag gpu; without it the package is empty.
//
// The library of the driver is opened when the program runs, so that one binary
// works with and without a card and needs nothing of CUDA to be built. With the
// tags gpu and cu the calls are those of gorgonia.org/cu instead: such a program
// is linked with the driver and does not start without a card.
//
// All methods of a Device but Info and Do are to be called within Do. What is
// put on a stream is done in the order in which it was put there; its errors may
// come with any later call.
package driver

import (
	"errors"
	"fmt"
	"runtime"

	"dgsbench/kernels"
)

// Library is the driver's name on Linux.
const Library = "libcuda.so.1"

// Ptr is an address in the memory of a card, Graph a handle of the driver.
type (
	Ptr   uint64
	Graph uintptr
)

// Open opens card number n, from 0 on. A program that is linked with the driver
// can choose no other library. An error wraps ErrNoGPU if there is no such card.
func Open(library string, n int) (*Device, error) {
	d, err := open(library, n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGPU, err)
	}
	return d, nil
}

// Do runs f on a thread that belongs to the card. The thread is free for others
// when f returns: f is a piece of work, not a program.
func (d *Device) Do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.setContext(); err != nil {
		return err
	}
	return f()
}

// Info describes the card.
func (d *Device) Info() Info { return d.info }

// Info describes a card.
type Info struct {
	Name            string
	Multiprocessors int
	Shared          int // bytes of shared memory that a block may ask for
	Version         int // of the driver: 11080 for CUDA 11.8
}

// Launch is the size of a launch.
type Launch struct {
	Blocks  [2]int // in x and in y
	Threads int    // of a block
	Shared  int    // bytes of dynamic shared memory
}

// ErrNoGPU is in every reason why there is no usable card: no driver, no device
// of that number, a driver too old.
var ErrNoGPU = errors.New("no usable CUDA device")

// ErrMemory is in the error of an allocation that does not fit.
var ErrMemory = kernels.ErrMemory

// failure is the error of a call for which the driver returned this result.
func failure(what string, result int, name, text string) error {
	const outOfMemory = 2
	err := fmt.Errorf("%s: error %d of the CUDA driver, %s: %s", what, result, name, text)
	if result == outOfMemory {
		err = fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return err
}

// checkNumber refuses the number of a device that the machine does not have.
func checkNumber(n, devices int) error {
	if n < 0 || n >= devices {
		return fmt.Errorf("there is no device %d, this machine has %d (counted from 0)", n, devices)
	}
	return nil
}
