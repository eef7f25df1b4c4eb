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
	onCard words // the plan
	spill  words // for copies that do not fit in shared memory
}

func (d *Device) NewJacobians(s kernels.JacobianShape) kernels.Jacobians {
	s.Check()
	upload := func(host []int32) kernels.Ints {
		l := d.NewInts(len(host))
		d.WriteInts(l, host)
		return l
	}
	starts, lanes := lanesOf(&s)
	return &jacobians{
		device: d, shape: s, state: upload(s.State), starts: upload(starts), lanes: upload(lanes),
		sums: d.NewBuffer(s.Lanes() * s.Features),
	}
}

// lanesOf lists the lanes of each column of the gradient, in order: l where lane
// l is added, ^l where it is subtracted. Column c is lanes[starts[c]:starts[c+1]].
func lanesOf(s *kernels.JacobianShape) (starts, lanes []int32) {
	columns := make([][]int32, s.Columns)
	for l := range int32(s.Lanes()) {
		if c := s.Plus[l]; c >= 0 {
			columns[c] = append(columns[c], l)
		}
		if c := s.Minus[l]; c >= 0 {
			columns[c] = append(columns[c], ^l)
		}
	}
	starts = []int32{0}
	for _, column := range columns {
		lanes = append(lanes, column...)
		starts = append(starts, int32(len(lanes)))
	}
	return starts, lanes
}

// slabBytes is the limit of memory that Grow allocates beyond what it is asked for.
const slabBytes = 64 << 20

func (j *jacobians) Grow(n int) {
	missing := n - len(j.slots)
	if missing <= 0 {
		return
	}
	stride := aligned(max(int(j.shape.Bytes()), 1))
	count := max(missing, min(len(j.slots), slabBytes/stride))
	slab := j.device.heap.alloc(count * stride)
	j.device.clear(slab.at, count*stride)
	j.slabs = append(j.slabs, slab)
	for i := range count {
		j.slots = append(j.slots, slab.at+driver.Ptr(i*stride))
	}
}

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

func (j *jacobians) Step(s *kernels.JacobianStep) {
	s.Check(j.shape, len(j.slots)) // of the buffers, too
	j.plan.prepare(s, &j.shape, j.slots)
	lanes, features := j.shape.Lanes(), j.shape.Features
	sums := at(j.sums, lanes*features)
	if size, spill := j.size(); size.Blocks[0] > 0 {
		kernel := "jacobian_step"
		if j.shape.Half {
			kernel = "jacobian_step_half"
		}
		j.device.launch(kernel, size, j.send(), intParam(lanes), intParam(features), atInts(j.state, lanes), maybe(s.Weights, 0), sums,
			maybe(s.Keep, 0), maybe(s.Mix, 0), maybe(s.Drive, 0), maybe(s.X, 0), intParam(j.plan.copies), spill, j.device.flag(flagBad))
	}
	if s.Weights != nil {
		n := features * j.shape.Columns
		j.device.launch("jacobian_gradient", threadsFor(n), nil, intParam(lanes), intParam(features), intParam(j.shape.Columns),
			atInts(j.starts, j.shape.Columns+1), atInts(j.lanes, 0), sums, at(s.Grad, n))
	}
}

// send uploads the plan. It returns the parameters that describe it.
func (j *jacobians) send() []uint64 {
	p := &j.plan
	asRead, asWritten := bytesOf(p.reads), bytesOf(p.writes)
	reads := uint64(j.device.sendTogether(&j.onCard, asRead, asWritten, bytesOf(p.ends)))
	writes := reads + uint64(len(asRead))
	ends := writes + uint64(len(asWritten))
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
