//go:build gpu

package cuda

import (
	"fmt"

	"dgsbench/kernels"
)

var _ kernels.Fuser = (*Device)(nil)

// chainThreads are those of a block. There are few blocks, so each has as many
// as the kernels are compiled for.
const chainThreads = 512

// chain notes calls, and launches them as one. The calls that it has are in
// chain_calls.go; those of the Device that it embeds, nil, are not for it.
type chain struct {
	kernels.Device
	on   *Device
	most int // rows

	width, vector int // numbers of its own buffers: of a row, and without rows

	rows    int // of this run
	run     int // its number
	calls   []chainCall
	meets   meeting
	staged  staged
	written map[any][]float32 // what the host has written where
	encoded []cardCall
	memory  words // of the card, for calls and what is staged
	outside words // likewise, for numbers that have no room in shared memory
}

// Fuse makes a chain for at most rows rows.
func (d *Device) Fuse(rows int) kernels.Fused {
	return &chain{on: d, most: max(rows, 1), written: map[any][]float32{}}
}

// Name is the device's.
func (c *chain) Name() string { return c.on.Name() }

// Threads is one, as for the device.
func (c *chain) Threads() int { return 1 }

// Thread is the chain itself.
func (c *chain) Thread(int) kernels.Device { return c }

// Parallel calls f(0).
func (c *chain) Parallel(f func(thread int)) { f(0) }

// Begin starts a run.
func (c *chain) Begin(rows int) {
	if rows < 1 || rows > c.most {
		panic(fmt.Sprintf("cuda: a chain of %d rows, made for %d", rows, c.most))
	}
	c.rows = rows
	c.run++
	c.calls = c.calls[:0]
	c.staged.reset()
	clear(c.written)
}

// End puts the calls on the card. They are launched as soon as anything else
// is asked for that may depend on them.
func (c *chain) End() {
	d := c.on
	if !d.pending.standsBeside(c) {
		d.flushChain()
	}
	d.flushUploads()
	c.arrange()
	size := c.size()
	list := c.send(size)
	blocks := (c.rows + size.rows - 1) / size.rows
	shared, outside := c.room(size, blocks)
	d.pending.add(chainRun{
		chain: c, blocks: blocks, shared: shared, parameters: [runParameters]uint64{
			whole(size.rows), whole(len(c.calls)), uint64(list), whole(size.own), outside, whole(size.own + size.partial),
		},
	})
}
