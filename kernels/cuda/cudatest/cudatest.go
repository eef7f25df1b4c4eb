//go:build gpu

// Package cudatest finds a card for tests, or builds a fake driver that runs
// the same kernels on the processor (emulator/). It takes the build tag gpu.
//
// In the emulator every thread of a kernel is a fiber. All memory is NaN at
// first and ends at a page that is not there; barriers and shuffles check that
// all threads meet at the same line; the work of a stream is done when
// somebody waits for it; and devices differ in the order in which threads take
// turns. Functions such as expf are only as exact as on a card.
//
// It refuses what a driver or a card would refuse, with the same error numbers
// (docs/cuda.md), and what NVIDIA's documents do not promise: neither a graph nor
// memory may be freed before the work is done. After work has failed no call
// succeeds any more; for tests there is Renew.
//
// Blocks run one after another, so races between them do not show in results;
// the thread sanitizer of g++ finds them (scripts/sanitize-kernels). Times on
// the emulator mean nothing.
package cudatest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ebitengine/purego"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda"
	"dgsbench/kernels/cuda/driver"
)

// Library is the library of the driver: that of the machine if there is a card,
// else a fake one. Without a C++ compiler for that, the test is skipped.
func Library(t testing.TB) string {
	t.Helper()
	err := fmt.Errorf("%w for the sanitizer of g++", driver.ErrNoGPU)
	if sanitizer == "" {
		_, err = driver.Open(driver.Library, 0)
	}
	if err == nil {
		return driver.Library
	}
	if !errors.Is(err, driver.ErrNoGPU) {
		t.Fatal(err)
	}
	library, buildErr := FakeLibrary()
	if errors.Is(buildErr, errNoCompiler) {
		t.Skipf("%v; and %v", err, buildErr)
	}
	if buildErr != nil {
		t.Fatal(buildErr)
	}
	return library
}

// Card is the card of Library.
func Card(t testing.TB) *cuda.Card {
	t.Helper()
	c, err := cuda.OpenCard(Library(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Emulated reports whether it is an emulated one.
func Emulated(t testing.TB) bool {
	t.Helper()
	return Card(t).Info().Name == "emulated"
}

// Device is a device for tests of what runs on it.
func Device(t testing.TB) kernels.Device {
	t.Helper()
	d, err := Card(t).NewDevice()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Devices are several that must agree bit for bit: on the fake driver with
// different orders of threads, on a card the same twice.
func Devices(t testing.TB) []kernels.Device {
	t.Helper()
	if !Emulated(t) {
		return []kernels.Device{Device(t), Device(t)}
	}
	const forward, backward, shuffled = 0, 1, 2 // as in emulator.h
	var all []kernels.Device
	for _, order := range []uintptr{backward, shuffled, forward} { // the last one stays
		control(t, "fakecuda_order", order)
		all = append(all, Device(t))
	}
	return all
}

// Renew gives the emulated card a new context. As on a real one, no call succeeds
// in one whose work has failed, until the program is started again.
func Renew(t testing.TB) {
	t.Helper()
	control(t, "fakecuda_renew")
}

// Graphs is the number of graphs of the emulated card that were not freed.
func Graphs(t testing.TB) int {
	t.Helper()
	return control(t, "fakecuda_graphs")
}

// Eager reports whether the emulated driver was told to load kernels at once.
func Eager(t testing.TB) bool {
	t.Helper()
	return control(t, "fakecuda_eager") != 0
}

// control calls a function that the fake library has beside the driver's.
func control(t testing.TB, name string, arguments ...uintptr) int {
	t.Helper()
	handle, err := purego.Dlopen(Library(t), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	function, err := purego.Dlsym(handle, name)
	if err != nil {
		t.Fatal(err)
	}
	result, _, _ := purego.SyscallN(function, arguments...)
	return int(int32(result))
}
