//go:build gpu

package cuda

import (
	"dgsbench/kernels"
	"dgsbench/kernels/cuda/driver"
	"dgsbench/kernels/portable"
)

// jacobians are Jacobians on the card, of float32 or, in half the memory, of
// bfloat16 numbers. A slot holds a row of lanes for each feature.
type jacobians struct {
	device        *Device
	shape         kernels.JacobianShape
	state         kernels.Ints
	starts, lanes kernels.Ints // of each column of the gradient, as in jacobian.cu
	slots         []driver.Ptr
	slabs         []*memory // that the slots lie in
	sums          kernels.Buffer

	plan   jacobianPlan
	packed []uint64 // the plan
	onCard words    // likewise
	spill  words    // for copies that do not fit in shared memory
}

// NewJacobians returns storage for Jacobians of one shape.
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
	each := func(do func(column, lane int32)) {
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
	columns.allocate()
	each(columns.add)
	return columns
}

// slabBytes is the most memory that Grow allocates beyond what it is asked for.
const slabBytes = 64 << 20

// Grow adds slots up to n-1.
func (j *jacobians) Grow(n int) {
	missing := n - len(j.slots)
	if missing <= 0 {
		return
	}
	stride := (max(int(j.shape.Bytes()), 1) + lineBytes - 1) / lineBytes * lineBytes
	count := max(missing, min(len(j.slots), slabBytes/stride))
	slab := j.device.heap.alloc(count * stride)
	j.device.clear(slab.at, count*stride)
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

// Step applies a batch.
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
		kernel := "jacobian_step"
		if j.shape.Half {
			kernel = "jacobian_step_half"
		}
		j.device.launch(kernel, size, j.send(), intParam(lanes), intParam(features), atInts(j.state, lanes), weights, sums, keep, mix,
			drive, x, intParam(j.plan.copies), spill, j.device.flag(flagBad))
	}
	if s.Weights != nil {
		n := features * j.shape.Columns
		j.device.launch("jacobian_gradient", threadsFor(n), nil, intParam(lanes), intParam(features), intParam(j.shape.Columns),
			atInts(j.starts, j.shape.Columns+1), atInts(j.lanes, 0), sums, at(s.Grad, n))
	}
}

// send uploads the plan. It returns the parameters that describe it.
func (j *jacobians) send() []uint64 {
	const longBytes = 8
	p := &j.plan
	j.packed = append(append(j.packed[:0], p.reads...), p.writes...)
	for i := 0; i < len(p.ends); i += 2 {
		j.packed = append(j.packed, pair(p.ends[i], p.ends[min(i+1, len(p.ends)-1)]))
	}
	reads := uint64(j.device.sendTogether(&j.onCard, bytesOf(j.packed)))
	writes := reads + uint64(len(p.reads)*longBytes)
	ends := writes + uint64(len(p.writes)*longBytes)
	return []uint64{intParam(len(p.ends)), ends, intParam(len(p.reads) / readWords), reads, writes}
}

const (
	featuresPerThread = 4 // as in jacobian.cu
	copyBytes         = featuresPerThread * wordBytes
	stepThreads       = 128 // of a block, at most: a thread has many registers
	spillBlocks       = 4   // of each multiprocessor, where copies do not fit in shared memory
)

// size is the size of the launch. The copies of a block's threads lie in shared
// memory, with fewer threads where there are many copies, so that two blocks
// fit; or else in spill.
func (j *jacobians) size() (l driver.Launch, spill uint64) {
	info := j.device.card.Info()
	n := j.shape.Lanes() * (j.shape.Features/featuresPerThread + j.shape.Features%featuresPerThread)
	for threads := stepThreads; threads >= warp; threads /= 2 {
		if shared := j.plan.copies * threads * copyBytes; shared <= info.Shared/2 {
			return driver.Launch{Blocks: [2]int{(n + threads - 1) / threads, 1}, Threads: threads, Shared: shared}, 0
		}
	}
	blocks := min((n+stepThreads-1)/stepThreads, spillBlocks*info.Multiprocessors)
	if need := blocks * stepThreads * j.plan.copies * featuresPerThread; j.spill.n < need {
		j.spill = j.device.zeros(2 * need)
	}
	return driver.Launch{Blocks: [2]int{blocks, 1}, Threads: stepThreads}, uint64(j.spill.at)
}
