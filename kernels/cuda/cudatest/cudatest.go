//go:build gpu

package cudatest

import (
	"errors"
	"fmt"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/driver"
)

// Library is the library of the driver: that of the machine if there is a
// card, else a fake one. Without a C++ compiler to build that with, the test
// is skipped.
func Library(t testing.TB) string {
	t.Helper()
	err := findCard()
	if err == nil {
		return driver.Library
	}
	if !errors.Is(err, driver.ErrNoGPU) {
		t.Fatal(err)
	}
	library, buildErr := fakeLibrary()
	if errors.Is(buildErr, errNoCompiler) {
		t.Skipf("%v; and %v", err, buildErr)
	}
	if buildErr != nil {
		t.Fatal(buildErr)
	}
	return library
}

// findCard fails if the machine has no card, or if a sanitizer is to watch the
// emulator.
func findCard() error {
	if sanitizer != "" {
		return fmt.Errorf("%w for the sanitizer of g++", driver.ErrNoGPU)
	}
	_, err := driver.Open(driver.Library, 0)
	return err
}

// Emulated reports whether the library is that of a fake driver.
func Emulated(t testing.TB, library string) bool {
	t.Helper()
	info, err := cuda.Info(library, 0)
	if err != nil {
		t.Fatal(err)
	}
	return info.Name == "emulated"
}

// Device is a device for tests of what runs on it.
func Device(t testing.TB) kernels.Device {
	t.Helper()
	return open(t, Library(t))
}

// Devices are several that must agree bit for bit: on the fake driver with
// different orders of threads, on a card the same twice.
func Devices(t testing.TB) []kernels.Device {
	t.Helper()
	library := Library(t)
	if !Emulated(t, library) {
		return []kernels.Device{open(t, library), open(t, library)}
	}
	var all []kernels.Device
	for _, order := range []int{backward, shuffled, forward} { // the last one stays
		setOrder(t, library, order)
		all = append(all, open(t, library))
	}
	return all
}

func open(t testing.TB, library string) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(library, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
