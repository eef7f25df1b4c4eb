//go:build gpu

package cuda

import "dgsbench/kernels"

// answered lets the last of the pending chains write src to the host, if it is
// a result.
func (d *Device) answered(dst []float32, src kernels.Buffer) bool {
	last := d.pending.last()
	if last == nil || !last.wrote(src, len(dst)) {
		return false
	}
	pinned := d.answerRoom(lineBytes + len(dst)*wordBytes)
	clear(pinned[:lineBytes])
	d.launchChains(whole(last.rows), whole(len(dst)/last.rows), at(src, len(dst)), address(pinned))
	d.flushUploads()
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
