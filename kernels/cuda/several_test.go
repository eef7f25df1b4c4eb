//go:build gpu

package cuda_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/cuda/driver"
)

// series works some numbers over and over, and reads them now and then. With
// turns, devices take turns after every read.
func series(d kernels.Device, seed uint64, turn func()) (out []float32) {
	const n, rounds = 300, 20
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make([]float32, n)
	for i := range x {
		x[i] = rng.Float32()
	}
	a := d.NewBuffer(n)
	d.Write(a, x)
	for i := range rounds {
		b := d.NewBuffer(n) // of the last round's nobody knows any more
		d.Affine(n, b, 1+rng.Float64(), a, rng.Float64())
		again := d.(kernels.Repeater).Prepare(func() { d.Sigmoid(n, a, b) })
		again()
		if i%3 == 0 {
			d.Read(x, a)
			out = append(out, x...)
			turn()
		}
	}
	return out
}

// TestDevicesSideBySide: what a device computes does not depend on others on
// the same card, not even if one of them finds it full.
func TestDevicesSideBySide(t *testing.T) {
	const devices = 4
	var alone, together [devices][]float32
	for i := range devices {
		alone[i] = series(cudatest.Device(t), uint64(i), func() {})
	}
	var wg sync.WaitGroup
	for i := range devices {
		d := cudatest.Device(t)
		wg.Go(func() {
			together[i] = series(d, uint64(i), func() {
				if i == 0 {
					if err := tooMuch(d); !errors.Is(err, driver.ErrMemory) {
						t.Errorf("%v, expected ErrMemory", err)
					}
				}
			})
		})
	}
	wg.Wait()
	for i := range devices {
		if !slices.Equal(alone[i], together[i]) {
			t.Errorf("device %d computes something else beside others", i)
		}
	}
	if _, _, err := cudatest.Card(t).Memory(); err != nil {
		t.Error(err)
	}
}

// TestFullDuringCapture: a device that finds the card full frees nothing of a
// device whose stream is captured, as it would have to wait for that.
func TestFullDuringCapture(t *testing.T) {
	const n = 3
	d, other := cudatest.Device(t), cudatest.Device(t)
	x := d.NewBuffer(n)
	d.NewBuffer(n) // nobody knows it
	again := d.(kernels.Repeater).Prepare(func() {
		d.Affine(n, x, 2, x, 1)
		full := make(chan error)
		go func() { full <- tooMuch(other) }()
		if err := <-full; !errors.Is(err, driver.ErrMemory) {
			t.Errorf("%v, expected ErrMemory", err)
		}
	})
	again()
	if got := read(d, x)[0]; got != 1 {
		t.Errorf("%v, expected 1", got)
	}
}

// tooMuch asks for more than any card has.
func tooMuch(d kernels.Device) (err error) {
	defer kernels.CatchFailure(&err)
	d.NewBuffer(1 << 44)
	return nil
}

// TestMemoryOfOthers: memory that one device has discarded is freed for another
// one, even if the first one allocates nothing more.
func TestMemoryOfOthers(t *testing.T) {
	if !cudatest.Emulated(t) {
		t.Skip("there is a card, whose memory is larger")
	}
	const n = 90 << 20 // more than half of the emulated card
	one, other := cudatest.Device(t), cudatest.Device(t)
	one.Affine(1, one.NewBuffer(n), 1, one.NewBuffer(1), 0)
	if b := other.NewBuffer(n); !other.IsFinite(1, b) {
		t.Error("new memory is not cleared")
	}
	one.IsFinite(1, one.NewBuffer(1))
}

// TestMemory: allocated memory is not free, devices report its peak, and
// unreachable memory is free again.
func TestMemory(t *testing.T) {
	memory := func() int {
		t.Helper()
		free, total, err := cudatest.Card(t).Memory()
		if err != nil || free < 0 || free > total {
			t.Fatalf("%d of %d bytes are free, error %v", free, total, err)
		}
		return free
	}
	const bytes, others = 64 << 20, 1 << 20 // devices of other tests may be tidied up meanwhile
	before := memory()
	d := cudatest.Device(t)
	b := d.NewBuffer(bytes / 4)
	if taken := before - memory(); taken < bytes-others {
		t.Errorf("%d bytes less are free, %d were taken", taken, bytes)
	}
	if most := kernels.PeakMemory(d); most < bytes || most > bytes+bytes/8 {
		t.Errorf("it held %d bytes, expected a little more than %d", most, bytes)
	}
	d.IsFinite(1, b)
	d, b = nil, nil
	if left := before - memory(); left > bytes/8 {
		t.Errorf("%d bytes are still taken", left)
	}
}
