//go:build gpu

package cuda

import (
	"runtime"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

var _ kernels.Repeating = (*Device)(nil)

// repetition is a graph of launches.
type repetition struct {
	device *Device
	graph  driver.Graph
	run    func() error // so that no repetition takes memory of its own
}

// Repeated makes a graph of the launches of f.
func (d *Device) Repeated(f func()) (again func()) {
	d.flush()
	r, before := &repetition{device: d}, d.work
	d.card.must(func() (err error) {
		r.graph, err = d.card.Capture(d.stream, func() (err error) {
			defer kernels.CatchFailure(&err)
			f()
			return nil
		})
		return err
	})
	d.work = before
	r.run = func() error { return d.card.Replay(r.graph, d.stream) }
	runtime.AddCleanup(r, d.card.free, r.graph)
	return r.again
}

// again puts the launches on the stream.
func (r *repetition) again() {
	r.device.flush()
	r.device.work.Repeats++
	r.device.card.must(r.run)
}

// free gives a graph back. Its errors could only be those of work that nobody
// waits for.
func (c *card) free(g driver.Graph) { _ = c.Do(func() error { return c.FreeGraph(g) }) }
