//go:build gpu

package cuda

import (
	"fmt"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
)

// mostSeen is the most buffers that are looked at before somebody asks.
const mostSeen = 1 << 12

// see gives n buffers their number, which counts down, and their place. A
// kernel that finds a bad one notes the largest of what is there and its own
// number: so the first one stays. None is 0.
func (d *Device) see(n int) (number, place int) {
	place = d.seen
	if d.seen += n; d.seen > mostSeen {
		panic(fmt.Sprintf("cuda: %d buffers were seen, and nobody asked", d.seen))
	}
	return mostSeen - place, place
}

// ResetChecks forgets all checked buffers.
func (d *Device) ResetChecks() {
	if d.seen > 0 {
		d.seen = 0
		d.fill(driver.Ptr(d.note(noteBad)), wordBytes)
	}
}

// CheckFinite checks the first n numbers of b.
func (d *Device) CheckFinite(n int, b kernels.Buffer) int {
	number, place := d.see(1)
	d.each("see", n, at(b, n), whole(number), d.note(noteBad))
	return place
}

// CheckGroup checks all buffers of a group.
func (d *Device) CheckGroup(g kernels.Group) int {
	number, place := d.see(g.Buffers())
	d.eachMember("see_all", g, whole(number), d.note(noteBad))
	return place
}

// mostAnswered is the most numbers that come with an answer: others are read.
const mostAnswered = mostThreads - noteCount

// FirstBad is the place of the first bad buffer. It waits for the answer,
// which a kernel writes to the host: that is quicker than copies.
func (d *Device) FirstBad(dst []float32, src kernels.Buffer) int {
	if len(dst) > mostAnswered || d.tape != nil {
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
	n := noteCount + len(dst)
	pinned := d.answerRoom(n * wordBytes)
	d.spread("answer", n, whole(len(dst)), from, d.note(0), address(pinned))
	d.work.Waits++
	d.card.must(func() error { return d.card.Sync(d.stream) })
	var answer [mostThreads]int32
	copy(bytesOf(answer[:]), pinned)
	copy(bytesOf(dst), bytesOf(answer[noteCount:]))
	d.seen = 0
	d.check(answer[noteFault] != 0)
	return firstSeen(int(answer[noteBad]))
}

// firstSeen is the place of what was noted, or -1.
func firstSeen(noted int) int {
	if noted == 0 {
		return -1
	}
	return mostSeen - noted
}
