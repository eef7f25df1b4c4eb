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
	device        *Device
	shape         kernels.JacobianShape
	state         kernels.Ints
	starts, lanes kernels.Ints // of each column of the gradient, as in jacobian.cu
	slots         []driver.Ptr
	slabs         []*memory // which the slots lie in
	sums          kernels.Buffer

	plan   jacobianPlan
	parcel []uint64 // the plan in one piece
	list   words    // and on the card
	room   words    // for copies that do not fit in shared memory
}

// NewJacobians keeps Jacobians of one shape.
func (d *Device) NewJacobians(s kernels.JacobianShape) kernels.Jacobians {
	s.Check()
	upload := func(host []int32) kernels.Ints {
		l := d.NewInts(len(host))
		d.WriteInts(l, host)
		return l
	}
	columns := lanesOf(&s)
	return &jacobians{
		device: d, shape: s, state: upload(s.State), starts: upload(columns.starts), lanes: upload(columns.items),
		sums: d.NewBuffer(s.Lanes() * s.Features),
	}
}

// lanesOf lists the lanes of each column of the gradient, in order: l where
// lane l is added, ^l where it is subtracted.
func lanesOf(s *kernels.JacobianShape) *lists {
	columns := &lists{}
	each := func(do func(column int32, lane int32)) {
		for l := range s.Lanes() {
			if s.Plus[l] >= 0 {
				do(s.Plus[l], int32(l))
			}
			if s.Minus[l] >= 0 {
				do(s.Minus[l], ^int32(l))
			}
		}
	}
	columns.begin(s.Columns)
	each(func(column, _ int32) { columns.count(column) })
	columns.allot()
	each(columns.add)
	return columns
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
	slab := j.device.heap.alloc(count * stride)
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
	j.plan.prepare(s, &j.shape, j.slots)
	lanes, features, states := j.shape.Lanes(), j.shape.Features, j.shape.States
	var weights, sums, keep, mix, drive, x uint64
	if s.Weights != nil {
		weights, sums = at(s.Weights, len(s.Slots)*states), at(j.sums, lanes*features)
	}
	if n := len(s.Writes); n > 0 {
		rows := 1
		if s.PerWrite {
			rows = n
		}
		keep, mix, drive, x = at(s.Keep, rows*states), at(s.Mix, rows*states), at(s.Drive, n*lanes), at(s.X, 0)
	}
	if size, spill := j.size(); size.Blocks[0] > 0 {
		parameters := append(j.send(), whole(lanes), whole(features), list(j.state, lanes), weights, sums, keep, mix,
			drive, x, whole(j.plan.kept), spill, j.device.note(noteBad))
		j.device.launch(j.kernel(), size, parameters...)
	}
	if s.Weights != nil {
		n := features * j.shape.Columns
		j.device.spread("jacobian_gradient", n, whole(lanes), whole(features), whole(j.shape.Columns),
			list(j.starts, j.shape.Columns+1), list(j.lanes, 0), sums, at(s.Grad, n))
	}
}

// kernel is the one for numbers of this size.
func (j *jacobians) kernel() string {
	if j.shape.Half {
		return "jacobian_step_half"
	}
	return "jacobian_step"
}

// send puts the plan on the card. It gives the parameters that describe it.
func (j *jacobians) send() []uint64 {
	const wordBytes64 = 8
	p := &j.plan
	j.parcel = append(append(j.parcel[:0], p.reads...), p.writes...)
	for i := 0; i < len(p.ends); i += 2 {
		j.parcel = append(j.parcel, pair(p.ends[i], p.ends[min(i+1, len(p.ends)-1)]))
	}
	reads := uint64(j.device.sent(&j.list, bytesOf(j.parcel)))
	writes := reads + uint64(len(p.reads)*wordBytes64)
	ends := writes + uint64(len(p.writes)*wordBytes64)
	return []uint64{whole(len(p.ends)), ends, whole(len(p.reads) / readWords), reads, writes}
}

// As in jacobian.cu.
const (
	featuresAThread = 4
	copyBytes       = featuresAThread * wordBytes
)

const (
	// stepThreads is the most threads of a block: a thread has many registers.
	stepThreads = 128
	// spillBlocks is the number of blocks, for each multiprocessor, where
	// copies do not fit in shared memory.
	spillBlocks = 4
)

// size is that of the launch. The copies of a block's threads lie in shared
// memory, with fewer threads where there are many copies, so that two blocks
// have room; or else in room.
func (j *jacobians) size() (l driver.Launch, spill uint64) {
	info := j.device.card.Info()
	n := j.shape.Lanes() * (j.shape.Features/featuresAThread + j.shape.Features%featuresAThread)
	for threads := stepThreads; threads >= warp; threads /= 2 {
		if shared := j.plan.kept * threads * copyBytes; shared <= info.Shared/2 {
			return driver.Launch{Blocks: [2]int{(n + threads - 1) / threads, 1}, Threads: threads, Shared: shared}, 0
		}
	}
	blocks := min((n+stepThreads-1)/stepThreads, spillBlocks*info.Multiprocessors)
	if need := blocks * stepThreads * j.plan.kept * featuresAThread; j.room.n < need {
		j.room = j.device.zeros(2 * need)
	}
	return driver.Launch{Blocks: [2]int{blocks, 1}, Threads: stepThreads}, uint64(j.room.at)
}
