//go:build gpu

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// Device runs kernels on a card, one after the other on a stream of its own.
type Device struct {
	card    *Card
	heap    *heap
	stream  driver.Stream
	staging staging
	flags   words // set by kernels: see the flags below
	found   words // one number, of IsFinite
	checked int   // buffers since FirstBad
	work    Work
	pending []chainRun // not yet launched
	uploads uploads    // not yet copied, to what the pending chains do not touch
	tape    *tape      // that records work instead, during Record

	parameters [maxParameters]uint64 // of a launch
	scratch    [maxParameters]uint64 // for some of them
	rounded    []float32             // of WriteFloat64
}

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

// NewDevice makes a device. What it holds is freed when it is unreachable.
func (c *Card) NewDevice() (*Device, error) {
	d := &Device{card: c}
	err := c.Do(func() error {
		var errs [4]error
		d.stream, errs[0] = c.NewStream()
		d.staging.memory, errs[1] = c.Pinned(2 * halfBytes)
		d.staging.passed[0], errs[2] = c.NewEvent()
		d.staging.passed[1], errs[3] = c.NewEvent()
		return errors.Join(errs[:]...)
	})
	if err != nil {
		return nil, err
	}
	d.heap = &heap{card: c, stream: d.stream}
	c.mutex.Lock()
	c.heaps[d.heap] = true
	c.mutex.Unlock()
	d.found, d.flags = d.zeros(1), d.zeros(flagCount)
	runtime.AddCleanup(d, d.heap.close, d.staging)
	return d, nil
}

func (d *Device) Name() string { return "cuda" }

// PeakMemory is the largest number of bytes of the card that its buffers have held.
func (d *Device) PeakMemory() int64 {
	d.heap.mutex.Lock()
	defer d.heap.mutex.Unlock()
	return d.heap.peak
}

// Threads is one: all calls follow one another on the stream.
func (d *Device) Threads() int { return 1 }

func (d *Device) Thread(int) kernels.Device { return d }

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

// Work counts since the last call of Work.
func (d *Device) Work() Work {
	w := d.work
	d.work = Work{}
	return w
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

// maxChecked is the limit of buffers that are checked between calls of FirstBad.
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

func (d *Device) ResetChecks() {
	if d.checked > 0 {
		d.checked = 0
		d.clear(driver.Ptr(d.flag(flagBad)), wordBytes)
	}
}

func (d *Device) CheckFinite(n int, b kernels.Buffer) int {
	number, place := d.nextCheck(1)
	d.each("check_finite", n, at(b, n), intParam(number), d.flag(flagBad))
	return place
}

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

// FirstBad is the place of the first bad buffer. It waits for the answer, which a
// kernel writes to the host, together with a short dst: that is quicker than copies.
func (d *Device) FirstBad(dst []float32, src kernels.Buffer) int {
	const longest = maxThreads - flagCount
	if len(dst) > longest || d.tape != nil {
		d.Read(dst, src)
		dst = nil
	}
	if d.tape != nil {
		return -1
	}
	n := flagCount + len(dst)
	pinned := d.pinned(n * wordBytes)
	d.launch("answer", threadsFor(n), nil, intParam(len(dst)), maybe(src, len(dst)), d.flag(0), address(pinned))
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
