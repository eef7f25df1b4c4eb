//go:build gpu

package cuda

import (
	"fmt"
	"runtime"
	"unsafe"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// Device runs kernels on a card, one after the other on a stream of its own.
type Device struct {
	card    *card
	heap    *heap
	stream  driver.Stream
	staging staging
	flags   words // set by kernels: see the flags below
	found   words // one number, of IsFinite
	checked int   // buffers since FirstBad
	work    Work
	pending []chainRun // not yet launched: see addRun
	uploads uploads    // not yet copied, to what the pending chains do not touch
	tape    *tape      // that records work instead, during Record

	launching launching
	scratch   [maxParameters]uint64
	rounded   []float32 // of WriteFloat64
}

// The flags.
const (
	flagOutOfRange = iota // not 0 after a row number that is out of range
	flagBad               // the number of a bad buffer: see nextCheck
	flagCount
)

var (
	_ kernels.Device      = (*Device)(nil)
	_ kernels.Fuser       = (*Device)(nil)
	_ kernels.Repeater    = (*Device)(nil)
	_ kernels.Recorder    = (*Device)(nil)
	_ kernels.MemoryOwner = (*Device)(nil)
)

// Info describes a card that Open opens.
func Info(library string, n int) (driver.Info, error) {
	c, err := openCard(library, n)
	if err != nil {
		return driver.Info{}, err
	}
	return c.Device.Info(), nil
}

// Memory is the free and total bytes of a card that Open opens. What unreachable
// devices hold is freed first.
func Memory(library string, n int) (free, total int, err error) {
	c, err := openCard(library, n)
	if err != nil {
		return 0, 0, err
	}
	return c.memory()
}

// Open makes a device on card number n, from 0 on, of this driver's library:
// driver.Library, but for tests. An error wraps driver.ErrNoGPU if there is no
// such card. What the device holds is freed when it is no longer reachable.
func Open(library string, n int) (*Device, error) {
	c, err := openCard(library, n)
	if err != nil {
		return nil, err
	}
	d := &Device{card: c}
	if err := c.Do(func() (err error) {
		if d.stream, err = c.NewStream(); err == nil {
			d.staging, err = newStaging(c)
		}
		return err
	}); err != nil {
		return nil, err
	}
	d.heap = &heap{card: c, stream: d.stream}
	c.register(d.heap)
	d.found, d.flags = d.zeros(1), d.zeros(flagCount)
	d.launching.run = d.launchPrepared
	runtime.AddCleanup(d, resources.free, resources{d.heap, d.stream, d.staging})
	return d, nil
}

// resources are what a device holds beside buffers.
type resources struct {
	heap    *heap
	stream  driver.Stream
	staging staging
}

// free frees them. Errors could only be of work that nobody waits for.
func (r resources) free() {
	c := r.heap.card
	c.unregister(r.heap)
	_ = c.Do(func() error {
		_ = c.Sync(r.stream) // copies may still use what is freed
		_ = c.FreeStream(r.stream)
		_ = c.FreePinned(r.staging.memory)
		for _, e := range r.staging.passed {
			_ = c.FreeEvent(e)
		}
		return nil
	})
	r.heap.close()
}

// Name is "cuda".
func (d *Device) Name() string { return "cuda" }

// PeakMemory is the most bytes of the card that its buffers have taken at once.
func (d *Device) PeakMemory() int64 { return d.heap.peakBytes() }

// Threads is one: calls that do not depend on each other follow one another on
// the stream.
func (d *Device) Threads() int { return 1 }

// Thread is the device itself.
func (d *Device) Thread(int) kernels.Device { return d }

// Parallel calls f(0).
func (d *Device) Parallel(f func(thread int)) { f(0) }

// Work is what a device was asked for. On a card it decides the speed of small
// batches: a launch costs the host some microseconds, a wait some more.
type Work struct {
	Launches  int // kernels
	Repeats   int // runs of what Prepare has prepared
	Fills     int // of memory with zeros
	Uploads   int // from the host
	Downloads int // to the host
	Waits     int // for the stream
}

// Work counts since the device was opened.
func (d *Device) Work() Work { return d.work }

// Minus is the work since before.
func (w Work) Minus(before Work) Work {
	return Work{
		w.Launches - before.Launches, w.Repeats - before.Repeats, w.Fills - before.Fills, w.Uploads - before.Uploads,
		w.Downloads - before.Downloads, w.Waits - before.Waits,
	}
}

// flag is the address of a flag.
func (d *Device) flag(which int) uint64 { return d.flags.first(flagCount) + uint64(which*wordBytes) }

// fault is the flag of row numbers that are out of range.
func (d *Device) fault() uint64 { return d.flag(flagOutOfRange) }

// checkRange panics if a kernel has met a row number that is out of range.
func (d *Device) checkRange(fault bool) {
	if fault {
		d.clear(driver.Ptr(d.fault()), wordBytes)
		panic("cuda: since the last read a row number was out of range")
	}
}

// maxChecked is the most buffers that are checked between calls of FirstBad.
const maxChecked = 1 << 12

// nextCheck returns the number and the place of the first of n checked buffers.
// Places count up from 0 and numbers down from maxChecked: a kernel that finds a
// bad buffer sets the flag to the largest of the flag and the buffer's number,
// so that the first one stays.
func (d *Device) nextCheck(n int) (number, place int) {
	place = d.checked
	if d.checked += n; d.checked > maxChecked {
		panic(fmt.Sprintf("cuda: %d buffers were checked without FirstBad", d.checked))
	}
	return maxChecked - place, place
}

// ResetChecks forgets all checked buffers.
func (d *Device) ResetChecks() {
	if d.checked > 0 {
		d.checked = 0
		d.clear(driver.Ptr(d.flag(flagBad)), wordBytes)
	}
}

// CheckFinite checks the first n numbers of b.
func (d *Device) CheckFinite(n int, b kernels.Buffer) int {
	number, place := d.nextCheck(1)
	d.each("check_finite", n, at(b, n), intParam(number), d.flag(flagBad))
	return place
}

// CheckGroup checks all buffers of a group.
func (d *Device) CheckGroup(g kernels.Group) int {
	number, place := d.nextCheck(g.Buffers())
	d.eachMember("check_group", g, intParam(number), d.flag(flagBad))
	return place
}

// IsFinite reports whether all numbers are finite. It waits for the answer.
func (d *Device) IsFinite(n int, b kernels.Buffer) bool {
	found := d.found.first(1)
	d.clear(driver.Ptr(found), wordBytes)
	d.each("check_finite", n, at(b, n), intParam(1), found)
	return d.readInts(d.found, 1)[0] == 0
}

// readInts copies the first n numbers.
func (d *Device) readInts(w words, n int) []int32 {
	out := make([]int32, n)
	d.download(bytesOf(out), driver.Ptr(w.first(n)))
	return out
}

// FirstBad is the place of the first bad buffer. It waits for the answer, which
// a kernel writes to the host together with dst, if that is short: it is quicker
// than copies.
func (d *Device) FirstBad(dst []float32, src kernels.Buffer) int {
	const longest = maxThreads - flagCount
	if len(dst) > longest || d.tape != nil {
		d.Read(dst, src)
		dst = nil
	}
	if d.tape != nil {
		return -1
	}
	var from uint64
	if len(dst) > 0 {
		from = at(src, len(dst))
	}
	n := flagCount + len(dst)
	pinned := d.pinned(n * wordBytes)
	d.launch("answer", threadsFor(n), nil, intParam(len(dst)), from, d.flag(0), address(pinned))
	d.work.Waits++
	d.card.must(func() error { return d.card.Sync(d.stream) })
	var answer [maxThreads]int32
	copy(bytesOf(answer[:]), pinned)
	copy(bytesOf(dst), bytesOf(answer[flagCount:]))
	d.checked = 0
	d.checkRange(answer[flagOutOfRange] != 0)
	if answer[flagBad] == 0 {
		return -1
	}
	return maxChecked - int(answer[flagBad])
}

// pinned is n bytes of pinned memory that the card does not use.
func (d *Device) pinned(n int) (pinned []byte) {
	d.card.must(func() (err error) {
		if d.tape != nil {
			pinned, err = d.tape.pinned(n)
		} else {
			pinned, err = d.stage(n)
		}
		return err
	})
	return pinned
}

// address is where pinned memory is, for the card as for the host.
func address(pinned []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(pinned)))) }
