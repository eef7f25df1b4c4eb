//go:build gpu

package cuda

import (
	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
	"dgsbench/kernels/portable"
)

// jacobians keeps Jacobians on the card, as float32 or, in half the memory,
// as bfloat16 numbers. A slot holds a row of lanes for each feature.
type jacobians struct {
	device             *Device
	shape              kernels.JacobianShape
	state, plus, minus kernels.Ints
	slots              []driver.Ptr
	slabs              []*memory // which the slots lie in
	sums               kernels.Buffer

	plan jacobianPlan
	list words // the plan on the card
	room words // for copies that do not fit in shared memory
}

// NewJacobians keeps Jacobians of one shape.
func (d *Device) NewJacobians(s kernels.JacobianShape) kernels.Jacobians {
	s.Check()
	upload := func(host []int32) kernels.Ints {
		l := d.NewInts(len(host))
		d.WriteInts(l, host)
		return l
	}
	return &jacobians{
		device: d, shape: s, state: upload(s.State), plus: upload(s.Plus), minus: upload(s.Minus),
		sums: d.NewBuffer(s.Lanes() * s.Features),
	}
}

// slabBytes is the most memory that Grow takes beyond what it is asked for.
const slabBytes = 64 << 20

// Grow makes room for slots 0 to n-1.
func (j *jacobians) Grow(n int) {
	missing := n - len(j.slots)
	if missing <= 0 {
		return
	}
	const line = 16 // bytes that threads read at once, at most
	stride := (max(int(j.shape.Bytes()), 1) + line - 1) / line * line
	count := max(missing, min(len(j.slots), slabBytes/stride))
	slab := j.device.heap.alloc(count*stride, j.device.stream)
	j.device.fill(slab.at, count*stride)
	j.slabs = append(j.slabs, slab)
	for i := range count {
		j.slots = append(j.slots, slab.at+driver.Ptr(i*stride))
	}
}

// Read copies the Jacobian of a slot.
func (j *jacobians) Read(dst []float32, slot int) {
	lanes, features := j.shape.Lanes(), j.shape.Features
	numbers := make([]float32, lanes*features)
	if j.shape.Half {
		half := make([]uint16, len(numbers))
		j.device.download(bytesOf(half), j.slots[slot])
		for i, v := range half {
			numbers[i] = portable.FromBFloat16(v)
		}
	} else {
		j.device.download(bytesOf(numbers), j.slots[slot])
	}
	for l := range lanes {
		for c := range features {
			dst[l*features+c] = numbers[c*lanes+l]
		}
	}
}

// Step works a batch off.
func (j *jacobians) Step(s *kernels.JacobianStep) {
	s.Check(j.shape, len(j.slots))
	j.plan.prepare(s, j.slots)
	reads, writes := j.send()
	lanes, states := j.shape.Lanes(), j.shape.States
	var weights, sums, keep, mix, drive, x uint64
	if s.Weights != nil {
		weights, sums = at(s.Weights, len(s.Slots)*states), at(j.sums, lanes*j.shape.Features)
	}
	if len(s.Writes) > 0 {
		rows := 1
		if s.PerWrite {
			rows = len(s.Writes)
		}
		keep, mix, drive, x = at(s.Keep, rows*states), at(s.Mix, rows*states), at(s.Drive, len(s.Writes)*lanes), at(s.X, 0)
	}
	if size, spill := j.size(); size.Blocks[0] > 0 {
		j.device.launch(j.kernel(), size, whole(lanes), whole(j.shape.Features), whole(states), list(j.state, lanes),
			whole(len(s.Slots)), reads, weights, sums, whole(len(s.Writes)), writes, keep, mix, flag(s.PerWrite), drive, x,
			whole(j.plan.kept), spill)
	}
	if s.Weights != nil {
		n := j.shape.Features * j.shape.Columns
		j.device.spread("jacobian_gradient", n, whole(lanes), whole(j.shape.Features), whole(j.shape.Columns),
			list(j.plus, lanes), list(j.minus, lanes), sums, at(s.Grad, n))
	}
}

// kernel is the one for numbers of this size.
func (j *jacobians) kernel() string {
	if j.shape.Half {
		return "jacobian_step_half"
	}
	return "jacobian_step"
}

// send puts the plan on the card.
func (j *jacobians) send() (reads, writes uint64) {
	const addressWords = 2
	d, p := j.device, &j.plan
	if n := addressWords * len(p.list); j.list.n < n {
		j.list = d.zeros(2 * n)
	}
	d.upload(j.list.at, bytesOf(p.list))
	return uint64(j.list.at), uint64(j.list.at) + uint64(p.writes*addressWords*wordBytes)
}

const (
	// copyBytes is the shared memory that a block takes for copies, at most:
	// at least two blocks have room on most cards.
	copyBytes = 48 << 10
	// spillBlocks is the number of blocks, for each multiprocessor, where
	// copies do not fit there.
	spillBlocks = 8
)

// size is that of the launch. The copies of a block's threads lie in shared
// memory, with fewer threads where there are many copies, or else in room.
func (j *jacobians) size() (l driver.Launch, spill uint64) {
	n := j.shape.Lanes() * j.shape.Features
	for threads := mostThreads; threads >= warp; threads /= 2 {
		if shared := j.plan.kept * threads * wordBytes; shared <= copyBytes {
			return driver.Launch{Blocks: [2]int{(n + threads - 1) / threads, 1}, Threads: threads, Shared: shared}, 0
		}
	}
	blocks := min((n+mostThreads-1)/mostThreads, spillBlocks*j.device.card.Info().Multiprocessors)
	if need := blocks * mostThreads * j.plan.kept; j.room.n < need {
		j.room = j.device.zeros(2 * need)
	}
	return driver.Launch{Blocks: [2]int{blocks, 1}, Threads: mostThreads}, uint64(j.room.at)
}
