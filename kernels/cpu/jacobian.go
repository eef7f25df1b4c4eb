package cpu

import (
	"sync/atomic"

	"dgsbench/kernels"
	"dgsbench/kernels/portable"
)

func (d *Device) NewJacobians(s kernels.JacobianShape) kernels.Jacobians {
	if s.Half {
		return newJacobians(d, s, d.kernels.halves)
	}
	return newJacobians(d, s, d.kernels.floats)
}

// jacobians stores Jacobians as float32 or, in half the memory, as bfloat16
// numbers.
//
// A slot holds groups of 16 lanes, then of 8 and of 4; lanes are padded to a
// multiple of 4. A group is a row of its lanes for each feature: so lanes lie
// along the registers, and any range of a group's features is one piece.
type jacobians[S float32 | uint16] struct {
	device  *Device // whose threads end when it is no longer reachable
	kernels jacobianKernels[S]
	shape   kernels.JacobianShape
	bands   []jacobianBlock // whole bands of groups of the same width
	// lanes and driven are the number of the state and the column of Drive
	// of each lane, those of the padding included.
	lanes, driven []int32
	slots         [][]S
	zeros         []S       // a block of a Jacobian without a slot
	none          []float32 // weights of zero
	threads       []jacobianThread[S]

	// The step that is being applied.
	step           portable.JacobianStep[float32]
	written        []int32 // of the touched states, their position among the writes, or -1
	visitOf        []int32 // of those that are visited so far, the visit, or -1
	seen           []bool  // of those that are read so far
	visits         []jacobianVisit
	kept           int // number of copies
	blocks         []jacobianBlock
	next           atomic.Int32 // the first block that no thread has taken
	sum            []float32    // of weighted Jacobians, as they lie in a slot
	parts          int          // threads that take part
	work, gradient func(thread int)
}

// jacobianThread is what a thread has for itself.
type jacobianThread[S float32 | uint16] struct {
	copies []S       // blocks that are needed after they are replaced
	unused []float32 // a sum that nobody reads
	update jacobianUpdate
}

func newJacobians[S float32 | uint16](d *Device, s kernels.JacobianShape, k jacobianKernels[S]) *jacobians[S] {
	s.Check()
	j := &jacobians[S]{device: d, shape: s, kernels: k, zeros: make([]S, blockNumbers), none: make([]float32, s.States)}
	lanes := s.Lanes()
	for l := range (lanes + 3) / 4 * 4 {
		l = min(l, lanes-1)
		j.lanes = append(j.lanes, s.State[l])
		j.driven = append(j.driven, int32(l))
	}
	for lane, width := 0, 16; lane < len(j.lanes); width /= 2 {
		b := jacobianBlock{lane: lane, width: width, groups: (len(j.lanes) - lane) / width, hi: s.Features}
		if b.numbers() > 0 {
			j.bands = append(j.bands, b)
		}
		lane += b.lanes()
	}
	j.sum = make([]float32, j.size())
	for range d.pool.Workers() {
		j.threads = append(j.threads, jacobianThread[S]{unused: make([]float32, blockNumbers)})
	}
	j.work, j.gradient = j.runBlocks, j.addLanes
	return j
}

// size is how many numbers a Jacobian holds.
func (j *jacobians[S]) size() int { return len(j.lanes) * j.shape.Features }

// slabBytes is the limit of memory that Grow allocates beyond what it is asked for.
// The system gives fresh memory when it is first touched, so what is not used
// costs nothing.
const slabBytes = 64 << 20

func (j *jacobians[S]) Grow(n int) {
	missing := n - len(j.slots)
	if missing <= 0 {
		return
	}
	stride := (j.size() + 31) / 32 * 32 // whole cache lines
	ahead := min(len(j.slots), int(slabBytes/max(j.shape.Bytes(), 1)))
	slab := make([]S, max(missing, ahead)*stride)
	hugePages(slab)
	for range max(missing, ahead) {
		j.slots = append(j.slots, slab[:j.size():j.size()])
		slab = slab[stride:]
	}
}

func (j *jacobians[S]) Read(dst []float32, slot int) {
	for _, b := range j.bands {
		for l := b.lane; l < min(b.lane+b.lanes(), j.shape.Lanes()); l++ {
			for c := range j.shape.Features {
				dst[l*j.shape.Features+c] = widen(j.slots[slot][b.index(l, c)])
			}
		}
	}
}

// jacobianBlock is a part that lies in one piece in every Jacobian: a range
// of features of some groups of lanes, all features if there are several
// groups. A group has 16, 8 or 4 lanes, the width.
type jacobianBlock struct {
	lane, width, groups int // lane is the first one
	lo, hi              int // features
}

// lanes is the number of lanes in the block, features that of features.
func (b *jacobianBlock) lanes() int    { return b.width * b.groups }
func (b *jacobianBlock) features() int { return b.hi - b.lo }

// numbers is how many there are in the block.
func (b *jacobianBlock) numbers() int { return b.lanes() * b.features() }

// start is where the block begins in a Jacobian of features features.
func (b *jacobianBlock) start(features int) int { return b.lane*features + b.lo*b.width }

// index is where feature c of lane l of a whole band is in a Jacobian.
func (b *jacobianBlock) index(l, c int) int {
	in := (l - b.lane) % b.width
	return (l-in)*b.features() + c*b.width + in
}

// cut appends the blocks of a band. None has more numbers than rows rows of 16
// lanes, except single rows, and there is one for each thread if there are
// enough groups.
func (b jacobianBlock) cut(blocks []jacobianBlock, rows, threads int) []jacobianBlock {
	rows *= 16 / b.width
	features, groups := b.features(), b.groups
	if features <= rows {
		together := rows / features
		parts := max((groups+together-1)/together, min(groups, threads))
		for part := range parts {
			lo, hi := Split(groups, parts, part)
			b.groups = hi - lo
			blocks = append(blocks, b)
			b.lane += b.lanes()
		}
		return blocks
	}
	parts := (features + rows - 1) / rows
	b.groups = 1
	for range groups {
		for part := range parts {
			b.lo, b.hi = Split(features, parts, part)
			blocks = append(blocks, b)
		}
		b.lane += b.width
	}
	return blocks
}
