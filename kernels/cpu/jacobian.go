package cpu

import "dgsbench/kernels"

// jacobians keeps Jacobians as float32 or, in half the memory, as bfloat16
// numbers.
//
// A slot holds groups of 16 lanes, then of 8 and of 4; lanes are padded to a
// multiple of 4. A group is a row of its lanes for each feature: so lanes lie
// along the registers, and any range of a group's features is one piece.
type jacobians[S float32 | uint16] struct {
	device *Device // whose threads end when it is no longer reachable
	code   jacobianCode[S]
	shape  kernels.JacobianShape
	bands  []jacobianBlock // whole bands of groups of the same width
	// lanes and driven are the number of the state and the column of Drive
	// of each lane, those of the padding included.
	lanes, driven []int32
	slots         [][]S
	jacobianWork[S]
}

func newJacobians[S float32 | uint16](d *Device, s kernels.JacobianShape, code jacobianCode[S]) *jacobians[S] {
	s.Check()
	j := &jacobians[S]{device: d, shape: s, code: code}
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
	j.makeWork()
	return j
}

// size is how many numbers a Jacobian holds.
func (j *jacobians[S]) size() int { return len(j.lanes) * j.shape.Features }

// slabBytes is the most memory that Grow takes beyond what it is asked for.
// The system gives fresh memory when it is first touched, so what is not used
// costs nothing.
const slabBytes = 64 << 20

// Grow makes room for slots 0 to n-1.
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

// Read copies the Jacobian of a slot.
func (j *jacobians[S]) Read(dst []float32, slot int) {
	for _, b := range j.bands {
		for l := b.lane; l < min(b.lane+b.lanes(), j.shape.Lanes()); l++ {
			for c := range j.shape.Features {
				dst[l*j.shape.Features+c] = j.code.widen(j.slots[slot][b.index(l, c)])
			}
		}
	}
}
