package kernels

// The interfaces below are what a device may be capable of beyond kernels.
// Code checks for them by type assertion, never for a device's name.

// Fuser is a device on which the overhead of a call exceeds its computation
// where batches are small: it makes one call of several.
type Fuser interface {
	// Fuse returns a device for sequences of calls on at most rows rows.
	Fuse(rows int) Fused
}

// Fused is a device for calls that compute rows independently of each other:
// row i of what a call writes depends on rows i of what other calls of the
// sequence have written, and on anything that was there before Begin. Calls
// between Begin and End are recorded, and what is written from the host must
// not change in between; End makes them, in order.
//
// A buffer of its own holds numbers only from Begin to End. It has rows rows,
// or several matrices of rows rows one after another; a view of it is one of
// these matrices, or some of its columns.
//
// It has the calls of programs for inference; others panic.
type Fused interface {
	Device
	// NewVector returns a buffer of its own that is no matrix: every row
	// reads the whole of it.
	NewVector(n int) Buffer
	// Begin starts a sequence on rows rows.
	Begin(rows int)
	// End runs the sequence.
	End()
}

// Repeater is a device that makes the same calls again for the cost of one.
type Repeater interface {
	// Prepare records the calls that f makes and makes none of them. f calls
	// kernels only: it neither writes from the host nor reads, and it makes
	// no buffers. run makes the calls, on the same buffers with the same
	// sizes. What f checks (see Checks) has the same places each time: as
	// many buffers must have been checked before run as before Prepare.
	Prepare(f func()) (run func())
}

// Recorder is a device that repeats work, reads and writes included, without
// being asked for each part of it.
type Recorder interface {
	// Record notes what f asks of the device and does nothing yet: while f
	// runs, reads give zeros. What f writes from the host is stored, on the
	// device or, with copied, on the host, so that replays copy it. f makes
	// no buffers.
	Record(copied bool, f func()) (Recording, error)
}

// Recording is work that can be repeated.
type Recording interface {
	// Replay does all of it and returns when it is done.
	Replay() error
	// ReadResults copies what the last replay has read to the slices that f
	// read into. A second call without a replay in between gives NaN.
	ReadResults()
	// Close frees the recording's memory.
	Close()
}

// MemoryOwner is a device whose buffers are not the host's memory.
type MemoryOwner interface {
	// PeakMemory is the largest number of bytes that its buffers have taken
	// at once.
	PeakMemory() int64
}

// PeakMemory is that of a device with memory of its own, else 0.
func PeakMemory(d Device) int64 {
	if o, ok := d.(MemoryOwner); ok {
		return o.PeakMemory()
	}
	return 0
}
