package cpu

import "dgsbench/kernels/portable"

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

// start is where the block begins in a Jacobian of so many features.
func (b *jacobianBlock) start(features int) int { return b.lane*features + b.lo*b.width }

// index is where feature c of lane l of a whole band is in a Jacobian.
func (b *jacobianBlock) index(l, c int) int {
	in := (l - b.lane) % b.width
	return (l-in)*b.features() + c*b.width + in
}

// cut appends the blocks of a band. None has more numbers than that many rows
// of 16 lanes, but for single rows, and there is one for each thread if there
// are enough groups.
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

// jacobianUpdate is what a new Jacobian is made of, besides old ones: rows of
// numbers for each number of the state (keep, mix) and for each lane (drive),
// and the input, which has one for each feature.
type jacobianUpdate struct {
	keep, mix, drive, x []float32
}

// jacobianCode are the kernels for one kind of numbers.
type jacobianCode[S float32 | uint16] struct {
	// read copies the block x to keep and adds it, each lane times its
	// weight, to sum. Lane i of the block has the weight weights[lanes[i]].
	// Meanwhile the block next is fetched from memory.
	read func(b *jacobianBlock, sum, keep, weights []float32, x, next []S, lanes []int32)
	// write sets the block x to keep self + mix other + drive input. Lane i
	// of the block has the numbers lanes[i] of keep and mix, and driven[i]
	// of drive.
	write func(b *jacobianBlock, x []S, self, other []float32, u *jacobianUpdate, lanes, driven []int32)
	// widen gives a number as float32.
	widen func(S) float32
}

// floatJacobians and halfJacobians are the kernels for float32 and bfloat16,
// by level.
var (
	floatJacobians = [...]jacobianCode[float32]{
		Portable: {readPortable, writePortable, sameNumber},
		AVX2:     {jacobianAVX2.readBlock, jacobianAVX2.writeBlock, sameNumber},
		AVX512:   {jacobianAVX512.readBlock, jacobianAVX512.writeBlock, sameNumber},
	}
	halfJacobians = [...]jacobianCode[uint16]{
		Portable: {readPortableHalf, writePortableHalf, portable.FromBFloat16},
		AVX2:     {jacobianHalfAVX2.readBlock, jacobianHalfAVX2.writeBlock, portable.FromBFloat16},
		AVX512:   {jacobianHalfAVX512.readBlock, jacobianHalfAVX512.writeBlock, portable.FromBFloat16},
	}
)

func sameNumber(x float32) float32 { return x }
