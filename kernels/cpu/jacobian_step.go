package cpu

import (
	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

// A step is cut into blocks: the same piece of every Jacobian. A thread visits
// the block of all touched states, one after the other: it adds the old
// Jacobian to the sum and, if the state is written, replaces it by the new one.
// So each Jacobian is read from memory once and written once. Old ones that a
// later visit needs are copied before they are replaced, and the copies stay in
// the cache.
const (
	// keptNumbers is the size of the copies: less than the second-level
	// cache of most processors.
	keptNumbers = 128 << 10
	// blockNumbers is the limit of a block, so that its sum stays in
	// the first-level cache.
	blockNumbers = 2 << 10
	// aheadNumbers is how far before they are read blocks are prefetched:
	// what is read during the latency of memory.
	aheadNumbers = 5 << 10
	// stepWorthSharing is the number of elements read and written from which
	// waking threads pays.
	stepWorthSharing = 1 << 16
)

// jacobianVisit is what happens to one touched state in every block. Numbers of
// slots are -1 for Jacobians of zeros.
type jacobianVisit struct {
	state  int32 // position among the touched ones
	slot   int32
	copyTo int32 // place where its Jacobian is kept for later visits, or -1

	write     int32 // its position among the writes; -1 for none, and the rest means nothing
	other     int32 // slot of the other end
	otherCopy int32 // place of the copy of that, if it has been replaced by then, or -1

	first [2]int32 // slots that are read here first, or -1
}

func (j *jacobians[S]) Step(s *kernels.JacobianStep) {
	s.Check(j.shape, len(j.slots))
	if j.device.FoundBad() {
		return
	}
	j.step = j.device.Device.Step(s)
	j.plan()
	j.parts = len(j.threads)
	if (len(j.visits)+len(s.Writes))*j.size() < stepWorthSharing {
		j.parts = 1
	}
	j.device.pool.Run(j.parts, j.work)
	if s.Weights != nil {
		clear(j.step.Grad[:j.shape.Features*j.shape.Columns])
		j.device.pool.Run(j.parts, j.gradient)
	}
	j.step = portable.JacobianStep[float32]{}
}

// plan lists the visits in the order of the touched states, and cuts the step
// into blocks.
func (j *jacobians[S]) plan() {
	s := &j.step
	j.written, j.visitOf, j.seen = j.written[:0], j.visitOf[:0], j.seen[:0]
	for range s.Slots {
		j.written, j.visitOf, j.seen = append(j.written, -1), append(j.visitOf, -1), append(j.seen, false)
	}
	for i, w := range s.Writes {
		j.written[w.Self] = int32(i)
	}
	j.visits, j.kept, j.blocks = j.visits[:0], 0, j.blocks[:0]
	for i, slot := range s.Slots {
		if j.written[i] >= 0 || s.Weights != nil && slot >= 0 {
			j.visits = append(j.visits, j.visit(int32(i)))
			j.visitOf[i] = int32(len(j.visits) - 1)
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
			t.copies = make([]S, need)
		}
	}
}

// visit plans that of a state, after those of the states before it.
func (j *jacobians[S]) visit(state int32) jacobianVisit {
	v := jacobianVisit{state: state, slot: j.step.Slots[state], copyTo: -1, write: j.written[state], first: [2]int32{-1, -1}}
	v.first[0] = j.firstRead(state)
	if v.write < 0 {
		return v
	}
	o := j.step.Writes[v.write].Other
	v.other, v.otherCopy, v.first[1] = j.step.Slots[o], -1, j.firstRead(o)
	if before := j.visitOf[o]; before >= 0 && v.other >= 0 && j.written[o] >= 0 {
		kept := &j.visits[before]
		if kept.copyTo < 0 {
			kept.copyTo = int32(j.kept)
			j.kept++
		}
		v.otherCopy = kept.copyTo
	}
	return v
}

// firstRead returns the slot of a state, or -1 if it was read before.
func (j *jacobians[S]) firstRead(state int32) int32 {
	if j.seen[state] {
		return -1
	}
	j.seen[state] = true
	return j.step.Slots[state]
}

// runBlocks takes blocks while there are any. Which thread takes which changes
// no result.
func (j *jacobians[S]) runBlocks(thread int) {
	for {
		i := int(j.next.Add(1)) - 1
		if i >= len(j.blocks) {
			return
		}
		j.runBlock(&j.blocks[i], &j.threads[thread])
	}
}

// runBlock makes all visits.
func (j *jacobians[S]) runBlock(b *jacobianBlock, t *jacobianThread[S]) {
	s, at, n, last := &j.step, b.start(j.shape.Features), b.numbers(), len(j.visits)-1
	lanes, driven := j.lanes[b.lane:], j.driven[b.lane:]
	clear(j.sum[at:][:n])
	of := func(slot int32) []S {
		if slot < 0 {
			return j.zeros[:n]
		}
		return j.slots[slot][at:][:n]
	}
	copied := func(place int32) []S { return t.copies[int(place)*n:][:n] }
	ahead := (aheadNumbers + n - 1) / n
	for i := range j.visits {
		v, soon := &j.visits[i], &j.visits[min(i+ahead, last)]
		sum, weights, old := t.unused, j.none, of(v.slot)
		if s.Weights != nil && v.slot >= 0 {
			sum, weights = j.sum[at:], s.Weights[int(v.state)*j.shape.States:][:j.shape.States]
		}
		if v.write < 0 {
			j.kernels.read(b, sum, weights, old, of(soon.first[0]), lanes)
			continue
		}
		if v.copyTo >= 0 {
			copy(copied(v.copyTo), old)
		}
		other := of(v.other)
		if v.otherCopy >= 0 {
			other = copied(v.otherCopy)
		}
		w := &s.Writes[v.write]
		j.setUpdate(&t.update, int(v.write), w)
		j.kernels.replace(b, sum, weights, old, other, &t.update, of(soon.first[0]), of(soon.first[1]), of(w.Slot), lanes, driven)
	}
}

// setUpdate sets u to what write i is made of.
func (j *jacobians[S]) setUpdate(u *jacobianUpdate, i int, w *kernels.JacobianWrite) {
	s, states, lanes, row := &j.step, j.shape.States, j.shape.Lanes(), 0
	if s.PerWrite {
		row = i * states
	}
	u.keep, u.mix, u.drive, u.x = s.Keep[row:][:states], s.Mix[row:][:states], s.Drive[i*lanes:][:lanes], s.X[int(w.Row)*j.shape.Features:][:j.shape.Features]
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
