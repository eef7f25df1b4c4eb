//go:build gpu

package cuda

import (
	"fmt"
	"runtime"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

var _ kernels.Repeater = (*Device)(nil)

// repetition is a graph of launches.
type repetition struct {
	device *Device
	graph  driver.Graph
	first  int          // how many buffers had been seen before
	sees   int          // how many it looks at
	run    func() error // so that no repetition takes memory of its own
}

// Prepare makes a graph of the launches of f.
func (d *Device) Prepare(f func()) (again func()) {
	d.notRecording("a repetition is made")
	d.flush()
	r, before := &repetition{device: d, first: d.seen}, d.work
	d.card.must(func() (err error) {
		if err := d.heap.collect(); err != nil {
			return err
		}
		r.graph, err = d.card.Capture(d.stream, func() (err error) {
			defer kernels.CatchFailure(&err)
			f()
			return nil
		})
		return err
	})
	d.work = before
	r.sees, d.seen = d.seen-r.first, r.first
	r.run = func() error { return d.card.Replay(r.graph, d.stream) }
	runtime.AddCleanup(r, d.heap.discardGraph, r.graph)
	return r.again
}

// again puts the launches on the stream.
func (r *repetition) again() {
	r.device.notRecording("a repetition is asked for")
	r.device.flush()
	r.device.sawAgain(r)
	r.device.work.Repeats++
	r.device.card.must(r.run)
}

// sawAgain counts what a repetition looks at, which has the same places each
// time.
func (d *Device) sawAgain(r *repetition) {
	if r.sees > 0 && d.seen != r.first {
		panic(fmt.Sprintf("cuda: a repetition after %d buffers were seen, the first time after %d", d.seen, r.first))
	}
	d.seen += r.sees
}

// notRecording panics during Record, which can note single calls alone.
func (d *Device) notRecording(what string) {
	if d.tape != nil {
		panic("cuda: " + what + " while work is recorded")
	}
}
