//go:build gpu

package cuda

import (
	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// pendingChain is a chain that is not launched yet: if the next thing that is
// wanted is one of its results, it writes that to the host by itself.
type pendingChain struct {
	chain      *chain
	size       driver.Launch
	parameters []uint64 // the last three are the columns and the places of a result, 0 without one
}

// flush puts on the stream what still waits for others.
func (d *Device) flush() {
	d.flushChain()
	d.flushUploads()
}

// flushChain launches the pending chain.
func (d *Device) flushChain() {
	if p := d.pending; p != nil {
		d.pending = nil
		d.launch("chain", p.size, p.parameters...)
	}
}

// answered lets the pending chain write src to the host, if it is a result.
func (d *Device) answered(dst []float32, src kernels.Buffer) bool {
	p := d.pending
	if p == nil || !p.chain.wrote(src, len(dst)) {
		return false
	}
	pinned := d.answerRoom(lineBytes + len(dst)*wordBytes)
	clear(pinned[:lineBytes])
	last := len(p.parameters) - 3
	p.parameters[last], p.parameters[last+1] = whole(len(dst)/p.chain.rows), at(src, len(dst))
	p.parameters[last+2] = address(pinned)
	d.flush()
	d.work.Waits++
	if d.tape != nil {
		clear(dst)
		d.tape.results = append(d.tape.results, result{nil, pinned}, result{bytesOf(dst), pinned[lineBytes:]})
		return true
	}
	d.card.must(func() error { return d.card.Sync(d.stream) })
	copy(bytesOf(dst), pinned[lineBytes:])
	d.check(pinned[0] != 0)
	return true
}

// answerRoom is memory of the host that the card does not use.
func (d *Device) answerRoom(n int) (pinned []byte) {
	d.card.must(func() (err error) {
		if d.tape != nil {
			pinned, err = d.tape.host(n)
		} else {
			pinned, err = d.room(n)
		}
		return err
	})
	return pinned
}

// wrote reports whether the last run has written these n numbers, a row for
// each of its own.
func (c *chain) wrote(b kernels.Buffer, n int) bool {
	if n > halfBytes/wordBytes-lineBytes {
		return false
	}
	for _, call := range c.calls {
		if call.rows != c.rows || call.cols*call.rows != n {
			continue
		}
		for _, o := range call.operands[:call.results] {
			if o.own == nil && o.at == at(b, n) {
				return true
			}
		}
	}
	return false
}
