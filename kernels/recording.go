package kernels

// Recorder is a device that can do work again without being asked for each
// part of it.
type Recorder interface {
	// Record notes what f asks of the device. Nothing is done yet: while f
	// runs, reads give zeros. What f writes from the host is kept, on the device
	// or, with copied, on the host, so that replays copy it. Buffers that f
	// would make must be there.
	Record(copied bool, f func()) (Recording, error)
}

// Recording is work that can be done again.
type Recording interface {
	// Replay does all of it and returns when it is done.
	Replay() error
	// Results copies what the last replay has read to where f wanted it, once:
	// without a replay in between the next one gives NaN.
	Results()
	// Close gives the recording's memory back.
	Close()
}
