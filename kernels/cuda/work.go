//go:build gpu

package cuda

// Work is what a device has been asked for so far. On a card it decides the
// speed of small batches: a launch costs the host some microseconds, a wait
// some more.
type Work struct {
	Launches  int // kernels
	Repeats   int // launches of several kernels at once, as often before
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
