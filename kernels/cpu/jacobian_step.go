package cpu

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// A step is cut into blocks: the same piece of every Jacobian. A thread reads
// a block of all touched states, one after the other, adds it to the sum and
// keeps a copy of it if it is needed for a new Jacobian; then it writes the
// new ones from these copies. So each Jacobian is read from memory once and
// written once, and the copies stay in the cache.
const (
	// keptNumbers is the size of the copies: less than the second-level
	// cache of most processors.
	keptNumbers = 128 << 10
	// blockNumbers is the limit of a block, so that its sum stays in
	// the first-level cache.
	blockNumbers = 2 << 10
	// aheadNumbers is how far before they are read blocks are prefetched:
	// what is read during the latency of memory.
	aheadNumbers = 2560
	// stepWorthSharing is the number of elements read and written from which
	// waking threads pays.
	stepWorthSharing = 1 << 16
)

// noJacobian is the block of a state that has no slot.
var noJacobian [blockNumbers]float32

func (j *jacobians[S]) Step(s *kernels.JacobianStep) {
	s.Check(j.shape, len(j.slots))
	if j.device.FoundBad() {
		return
	}
	j.step = j.device.Device.Step(s)
	j.plan()
	j.parts = len(j.threads)
	if (len(j.reads)+len(s.Writes))*j.size() < stepWorthSharing {
		j.parts = 1
	}
	j.device.pool.Run(j.parts, j.work)
	if s.Weights != nil {
		clear(j.step.Grad[:j.shape.Features*j.shape.Columns])
		j.device.pool.Run(j.parts, j.gradient)
	}
	j.step = portable.JacobianStep[float32]{}
}

// plan decides what is read and kept, and cuts the step into blocks.
func (j *jacobians[S]) plan() {
	j.places, j.reads, j.blocks, j.kept = j.places[:0], j.reads[:0], j.blocks[:0], 0
	for range j.step.Slots {
		j.places = append(j.places, -1)
	}
	for _, w := range j.step.Writes {
		j.keep(w.Self)
		j.keep(w.Other)
	}
	for i, slot := range j.step.Slots {
		if slot >= 0 && (j.step.Weights != nil || j.places[i] >= 0) {
			j.reads = append(j.reads, jacobianRead[S]{i, j.slots[slot]})
		}
	}
	rows := max(min(keptNumbers/max(j.kept, 1), blockNumbers)/16, 1)
	for i := range j.bands {
		j.blocks = j.bands[i].cut(j.blocks, rows, len(j.threads))
	}
	j.next.Store(0)
	for i := range j.threads {
		t := &j.threads[i]
		if need := max(keptNumbers, 16*j.kept); len(t.copies) < need {
			t.copies = make([]float32, need)
		}
	}
}

// keep assigns the state a place for a copy, unless it is zero.
func (j *jacobians[S]) keep(state int32) {
	if j.places[state] < 0 && j.step.Slots[state] >= 0 {
		j.places[state] = int32(j.kept)
		j.kept++
	}
}

// runBlocks takes blocks while there are any. Which thread takes which changes
// no result.
func (j *jacobians[S]) runBlocks(thread int) {
	for {
		i := int(j.next.Add(1)) - 1
		if i >= len(j.blocks) {
			return
		}
		j.readBlock(&j.blocks[i], &j.threads[thread])
		j.writeBlock(&j.blocks[i], &j.threads[thread])
	}
}

// readBlock sums and copies.
func (j *jacobians[S]) readBlock(b *jacobianBlock, t *jacobianThread) {
	at, n, last := b.start(j.shape.Features), b.numbers(), len(j.reads)-1
	sum, weights := j.sum[at:][:n], j.none
	clear(sum)
	ahead := (aheadNumbers + n - 1) / n
	for i := range j.reads {
		read := &j.reads[i]
		if j.step.Weights != nil {
			weights = j.step.Weights[read.state*j.shape.States:][:j.shape.States]
		}
		keep := t.spare
		if j.places[read.state] >= 0 {
			keep = j.copyOf(read.state, n, t)
		}
		j.kernels.read(b, sum, keep, weights, read.x[at:], j.reads[min(i+ahead, last)].x[at:], j.lanes[b.lane:])
	}
}

// copyOf is the copy of a block of n numbers.
func (j *jacobians[S]) copyOf(state, n int, t *jacobianThread) []float32 {
	if j.places[state] < 0 {
		return noJacobian[:n]
	}
	return t.copies[int(j.places[state])*n:][:n]
}

// writeBlock makes the new Jacobians.
func (j *jacobians[S]) writeBlock(b *jacobianBlock, t *jacobianThread) {
	at, n, s := b.start(j.shape.Features), b.numbers(), &j.step
	for i, w := range s.Writes {
		row := 0
		if s.PerWrite {
			row = i * j.shape.States
		}
		t.update = jacobianUpdate{
			keep: s.Keep[row:][:j.shape.States], mix: s.Mix[row:][:j.shape.States],
			drive: s.Drive[i*j.shape.Lanes():][:j.shape.Lanes()], x: s.X[int(w.Row)*j.shape.Features:][:j.shape.Features],
		}
		self, other := j.copyOf(int(w.Self), n, t), j.copyOf(int(w.Other), n, t)
		j.kernels.write(b, j.slots[w.Slot][at:], self, other, &t.update, j.lanes[b.lane:], j.driven[b.lane:])
	}
}

// addLanes adds the sums of one thread's features to the gradient, the lanes
// in order.
func (j *jacobians[S]) addLanes(thread int) {
	lo, hi := Split(j.shape.Features, j.parts, thread)
	for _, b := range j.bands {
		for lane := b.lane; lane < b.lane+b.lanes(); lane += b.width {
			portable.AddLanes(&j.shape, j.step.Grad, j.sum[lane*j.shape.Features:], lane, b.width, lo, hi)
		}
	}
}
