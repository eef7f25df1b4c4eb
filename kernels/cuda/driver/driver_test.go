//go:build gpu

package driver_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/cuda/driver"
)

// on runs a test on a card, or on the emulated one.
func on(t *testing.T, test func(d *driver.Device) error) {
	t.Helper()
	d, err := driver.Open(cudatest.Library(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Do(func() error { return test(d) }); err != nil {
		t.Fatal(err)
	}
}

// emulated reports whether there is no card.
func emulated(d *driver.Device) bool { return d.Info().Name == "emulated" }

func TestNoDriver(t *testing.T) {
	_, err := driver.Open("libcuda-that-is-not-there.so", 0)
	if !errors.Is(err, driver.ErrNoGPU) || !strings.Contains(err.Error(), "libcuda-that-is-not-there.so") {
		t.Errorf("%v, expected ErrNoGPU and the name of the library", err)
	}
}

func TestNoSuchDevice(t *testing.T) {
	library := cudatest.Library(t)
	for _, n := range []int{-1, 99} {
		_, err := driver.Open(library, n)
		if !errors.Is(err, driver.ErrNoGPU) || !strings.Contains(err.Error(), "this machine has") {
			t.Errorf("device %d: %v, expected ErrNoGPU and how many there are", n, err)
		}
	}
}

func TestInfo(t *testing.T) {
	on(t, func(d *driver.Device) error {
		i := d.Info()
		if i.Name == "" || i.Multiprocessors < 1 || i.Shared < 48<<10 || i.Version < 9000 {
			t.Errorf("%+v", i)
		}
		return nil
	})
}

// TestKernelsAreLoadedAtOnce: the variable is set in the environment of C, which
// is not Go's.
func TestKernelsAreLoadedAtOnce(t *testing.T) {
	on(t, func(d *driver.Device) error {
		if emulated(d) && !cudatest.Eager(t) {
			t.Error("they are not")
		}
		return nil
	})
}

func TestTooMuchMemory(t *testing.T) {
	on(t, func(d *driver.Device) error {
		if _, err := d.Alloc(1 << 46); !errors.Is(err, driver.ErrMemory) {
			t.Errorf("%v, expected ErrMemory", err)
		}
		return nil
	})
}

// adder doubles n numbers that come from and go back to pinned memory.
type adder struct {
	*driver.Device
	module driver.Module
	kernel driver.Function
	stream driver.Stream
	memory driver.Ptr
	pinned []byte
}

const adderNumbers = 70

func newAdder(t *testing.T, d *driver.Device) (a adder, err error) {
	ptx, err := os.ReadFile("../elementary.ptx")
	if err != nil {
		return a, err
	}
	if a.module, err = d.Load(string(ptx)); err != nil {
		return a, err
	}
	a.Device = d
	var errs [4]error
	a.kernel, errs[0] = d.Function(a.module, "add", 0)
	a.stream, errs[1] = d.NewStream()
	a.memory, errs[2] = d.Alloc(4 * adderNumbers)
	a.pinned, errs[3] = d.Pinned(4 * adderNumbers)
	t.Cleanup(func() {
		_ = d.Do(func() error { return errors.Join(d.FreeStream(a.stream), d.Free(a.memory), d.FreePinned(a.pinned)) })
	})
	return a, errors.Join(errs[:]...)
}

// double puts all of it on the stream.
func (a adder) double() error {
	x := uint64(a.memory)
	return errors.Join(
		a.Upload(a.memory, a.pinned, a.stream),
		a.Launch(a.kernel, driver.Launch{Blocks: [2]int{3, 1}, Threads: 32}, a.stream, adderNumbers, x, x, x),
		a.Download(a.pinned, a.memory, a.stream))
}

func (a adder) numbers() []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(&a.pinned[0])), adderNumbers)
}

// TestNothingHappensBeforeTheWait, on the emulated card: without a wait the old
// numbers are read.
func TestNothingHappensBeforeTheWait(t *testing.T) {
	on(t, func(d *driver.Device) error {
		a, err := newAdder(t, d)
		if err != nil {
			return err
		}
		a.numbers()[69] = 4
		if err := a.double(); err != nil {
			return err
		}
		if v := a.numbers()[69]; emulated(d) && v != 4 {
			t.Errorf("%v before the wait", v)
		}
		if err := d.Sync(a.stream); err != nil {
			return err
		}
		if v := a.numbers()[69]; v != 8 {
			t.Errorf("%v after the wait, expected 8", v)
		}
		return nil
	})
}

// TestGraph: a graph does nothing when it is made, and each replay reads what
// is in pinned memory then.
func TestGraph(t *testing.T) {
	on(t, func(d *driver.Device) error {
		a, err := newAdder(t, d)
		if err != nil {
			return err
		}
		a.numbers()[0] = 1
		g, err := d.Capture(a.stream, a.double)
		if err != nil {
			return err
		}
		want := []float32{1, 3, 6, 12}
		got := []float32{a.numbers()[0]}
		a.numbers()[0] = 1.5
		for range 3 {
			if err := errors.Join(d.Replay(g, a.stream), d.Sync(a.stream)); err != nil {
				return err
			}
			got = append(got, a.numbers()[0])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
		return d.FreeGraph(g)
	})
}

// TestFailedCapture frees what a failing function has captured.
func TestFailedCapture(t *testing.T) {
	on(t, func(d *driver.Device) error {
		a, err := newAdder(t, d)
		if err != nil {
			return err
		}
		before := 0
		if emulated(d) {
			before = cudatest.Graphs(t)
		}
		failure := errors.New("no")
		if _, err := d.Capture(a.stream, func() error { return errors.Join(a.double(), failure) }); !errors.Is(err, failure) {
			t.Errorf("%v, expected that of the function", err)
		}
		if emulated(d) && cudatest.Graphs(t) != before {
			t.Error("a graph is left")
		}
		return d.Sync(a.stream)
	})
}

func TestEvents(t *testing.T) {
	on(t, func(d *driver.Device) error {
		a, err := newAdder(t, d)
		if err != nil {
			return err
		}
		before, err := d.NewEvent()
		if err != nil {
			return err
		}
		after, err := d.NewEvent()
		if err != nil {
			return err
		}
		if err := errors.Join(d.Record(before, a.stream), a.double(), d.Record(after, a.stream)); err != nil {
			return err
		}
		if _, err := d.Elapsed(before, after); emulated(d) && err == nil {
			t.Error("the time of an event that has not happened is known")
		}
		if err := d.Wait(after); err != nil {
			return err
		}
		ms, err := d.Elapsed(before, after)
		if !(ms >= 0 && ms < 10_000) {
			t.Errorf("%v ms", ms)
		}
		return errors.Join(err, d.FreeEvent(before), d.FreeEvent(after))
	})
}
