//go:build gpu && cu

package driver

import (
	"errors"
	"fmt"
	"runtime"

	"gorgonia.org/cu"

	"dgsbench/kernels/cuda/driver/internal/start"
)

// Open takes card number n, from 0 on, of the driver that the program is
// linked with; there is no other library to choose. An error wraps ErrNoGPU if
// there is no such card.
func Open(library string, n int) (Device, error) {
	if library != Library {
		return nil, fmt.Errorf("%w: this program is linked with %s and cannot load %s; build with -tags gpu, without cu", ErrNoGPU, Library, library)
	}
	c, err := open(n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGPU, err)
	}
	return c, nil
}

// card is a Device.
type card struct {
	context cu.CUContext
	info    Info
}

func open(n int) (*card, error) {
	devices, err := cu.NumDevices()
	if err != nil {
		return nil, check("cuDeviceGetCount", err)
	}
	if n < 0 || n >= devices {
		return nil, noDevice(n, devices)
	}
	device, err := cu.GetDevice(n)
	if err != nil {
		return nil, check("cuDeviceGet", err)
	}
	c := &card{}
	if c.info, err = describe(device); err != nil {
		return nil, err
	}
	c.context, err = device.RetainPrimaryCtx()
	return c, check("cuDevicePrimaryCtxRetain", err)
}

func describe(device cu.Device) (Info, error) {
	name, err := device.Name()
	if err != nil {
		return Info{}, check("cuDeviceGetName", err)
	}
	attributes, err := device.Attributes(cu.MultiprocessorCount, cu.ComputeCapabilityMajor, cu.ComputeCapabilityMinor, mostShared)
	if err != nil {
		return Info{}, check("cuDeviceGetAttribute", err)
	}
	return Info{
		Name: name, Capability: 10*attributes[1] + attributes[2],
		Multiprocessors: attributes[0], Shared: attributes[3], Version: cu.Version(),
	}, nil
}

// Info is what is known about the card.
func (c *card) Info() Info { return c.info }

// Do runs f on a thread of the card.
func (c *card) Do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(c.context); err != nil {
		return check("cuCtxSetCurrent", err)
	}
	return f()
}

// check adds to an error of cu what was asked for and what the driver says.
func check(what string, err error) error {
	result := cu.Success // of a type that has no name outside of cu
	if !errors.As(err, &result) {
		return err
	}
	return checkResult(what, int(result))
}

// checkResult turns a result of the driver into an error.
func checkResult(what string, result int) error {
	if result == 0 {
		return nil
	}
	name, text := start.Describe(result)
	return failure(what, result, name, text)
}
