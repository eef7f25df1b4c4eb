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
// What a driver or a card would refuse the fake one refuses, with the same
// number: launches of no size or of too large ones, for the card or for what
// the PTX was compiled for; pointers to memory that is the host's alone, or
// to where no number of their type can be; copies that go too far; waiting,
// allocating or freeing while a stream is captured, and all later use of
// this stream; handles that were freed. Where NVIDIA's documents promise nothing
// it refuses, too: neither a graph nor memory may be freed before the work is
// done. After work has failed no call succeeds any more; for tests there is Renew.
//
// Blocks run one after another, so races between them do not show in results;
// the thread sanitizer of g++ finds them (scripts/sanitize-kernels). Nothing
// here tells about time. Command plant (scripts/plant) measures what the tests
// catch.
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
	library, buildErr := FakeLibrary()
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
	const forward, backward, shuffled = 0, 1, 2 // as in emulator.h
	var all []kernels.Device
	for _, order := range []uintptr{backward, shuffled, forward} { // the last one stays
		control(t, library, "fakecuda_order", order)
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

// Renew gives the emulated card a new context. As on a real one, work that
// fails ends the old one: no call succeeds any more, and a program would have to
// be started again.
func Renew(t testing.TB, library string) {
	t.Helper()
	control(t, library, "fakecuda_renew")
}

// Graphs is the number of graphs of the emulated card that were not freed.
func Graphs(t testing.TB, library string) int {
	t.Helper()
	return control(t, library, "fakecuda_graphs")
}

// Eager reports whether the emulated driver was told to load kernels at once.
func Eager(t testing.TB, library string) bool {
	t.Helper()
	return control(t, library, "fakecuda_eager") != 0
}

// control calls a function that the fake library has beside the driver's.
func control(t testing.TB, library, name string, arguments ...uintptr) int {
	t.Helper()
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
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
