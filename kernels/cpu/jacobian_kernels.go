package cpu

import (
	"math/bits"

	"dgsbench/kernels/portable"
)

// jacobianUpdate is what a new Jacobian is made of, besides old ones: rows of
// numbers for each number of the state (keep, mix) and for each lane (drive),
// and the input, which has one for each feature.
type jacobianUpdate struct {
	keep, mix, drive, x []float32
}

// jacobianKernels are those for one kind of numbers.
type jacobianKernels[S float32 | uint16] struct {
	// read adds the block x, each lane times its weight, to sum. Lane i of the
	// block has the weight weights[lanes[i]]. Meanwhile the block next is fetched
	// from memory.
	read func(b *jacobianBlock, sum, weights []float32, x, next []S, lanes []int32)
	// replace does so with the block self, and sets the block x, which may be
	// self, to keep self + mix other + drive input. Lane i of the block has the
	// numbers lanes[i] of keep and mix, and driven[i] of drive.
	replace func(b *jacobianBlock, sum, weights []float32, self, other []S, u *jacobianUpdate, next, nextOther, x []S, lanes, driven []int32)
}

// widen gives a number as float32.
func widen[S float32 | uint16](x S) float32 {
	if half, ok := any(x).(uint16); ok {
		return portable.FromBFloat16(half)
	}
	return float32(x)
}

// spread gives each lane of a group its number.
func spread(dst, numbers []float32, lanes []int32) {
	for i, at := range lanes {
		dst[i] = numbers[at]
	}
}

// readPortable is jacobianKernels.read without fetching.
func readPortable(b *jacobianBlock, sum, weights, x, _ []float32, lanes []int32) {
	var row [16]float32
	size := b.width * b.features()
	for g := range b.groups {
		spread(row[:b.width], weights, lanes[g*b.width:][:b.width])
		portable.ReadJacobian(sum[g*size:], x[g*size:][:size], row[:b.width])
	}
}

// replacePortable is jacobianKernels.replace.
func replacePortable(
	b *jacobianBlock, sum, weights, self, other []float32, u *jacobianUpdate, next, _, x []float32, lanes, driven []int32,
) {
	readPortable(b, sum, weights, self, next, lanes)
	size, w := b.width*b.features(), b.width
	for g := range b.groups {
		row := u.group(b, g, lanes, driven)
		portable.WriteJacobian(x[g*size:], self[g*size:], other[g*size:], row.keep[:w], row.mix[:w], row.drive[:w], u.x[b.lo:b.hi])
	}
}

// readPortableHalf is readPortable for bfloat16.
func readPortableHalf(b *jacobianBlock, sum, weights []float32, x, _ []uint16, lanes []int32) {
	var numbers, row [16]float32
	w, at := b.width, 0
	for g := range b.groups {
		spread(row[:w], weights, lanes[g*w:][:w])
		for range b.features() {
			widenAll(numbers[:w], x[at:])
			portable.ReadJacobian(sum[at:], numbers[:w], row[:w])
			at += w
		}
	}
}

// replacePortableHalf is replacePortable for bfloat16.
func replacePortableHalf(
	b *jacobianBlock, sum, weights []float32, self, other []uint16, u *jacobianUpdate, next, _, x []uint16, lanes, driven []int32,
) {
	readPortableHalf(b, sum, weights, self, next, lanes)
	var numbers, others [16]float32
	w, at := b.width, 0
	for g := range b.groups {
		row := u.group(b, g, lanes, driven)
		for c := b.lo; c < b.hi; c++ {
			widenAll(numbers[:w], self[at:])
			widenAll(others[:w], other[at:])
			portable.WriteJacobian(numbers[:w], numbers[:w], others[:w], row.keep[:w], row.mix[:w], row.drive[:w], u.x[c:c+1])
			for i, v := range numbers[:w] {
				x[at+i] = portable.BFloat16(v)
			}
			at += w
		}
	}
}

// widenAll sets dst to the first numbers of x.
func widenAll(dst []float32, x []uint16) {
	for i := range dst {
		dst[i] = portable.FromBFloat16(x[i])
	}
}

// groupUpdate are the numbers of the lanes of one group.
type groupUpdate struct {
	keep, mix, drive [16]float32
}

func (u *jacobianUpdate) group(b *jacobianBlock, g int, lanes, driven []int32) (row groupUpdate) {
	lanes, driven = lanes[g*b.width:][:b.width], driven[g*b.width:][:b.width]
	spread(row.keep[:], u.keep, lanes)
	spread(row.mix[:], u.mix, lanes)
	spread(row.drive[:], u.drive, driven)
	return row
}

// jacobianVectors are functions in assembly for groups of 4, 8 and 16 lanes.
type jacobianVectors[S float32 | uint16] struct {
	read    [3]vectorRead[S]
	replace [3]vectorReplace[S]
}

type (
	vectorRead[S any]    func(sum, weights *float32, x, next *S, lanes *int32, groups, features int)
	vectorReplace[S any] func(sum, weights, keep, mix, drive, inputs *float32, driven *int32,
		self, other, next, nextOther, x *S, lanes *int32, groups, features int)
)

// kernels returns those that call the functions of the block's width.
func (v jacobianVectors[S]) kernels() jacobianKernels[S] {
	return jacobianKernels[S]{v.readBlock, v.replaceBlock}
}

// ofWidth is the index of the function for groups of this many lanes.
func ofWidth(lanes int) int { return bits.TrailingZeros(uint(lanes)) - 2 }

// readBlock is jacobianKernels.read.
func (v *jacobianVectors[S]) readBlock(b *jacobianBlock, sum, weights []float32, x, next []S, lanes []int32) {
	n := b.numbers()
	sum, x, next, lanes = sum[:n], x[:n], next[:n], lanes[:b.lanes()]
	v.read[ofWidth(b.width)](&sum[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, b.features())
}

// replaceBlock is jacobianKernels.replace.
func (v *jacobianVectors[S]) replaceBlock(
	b *jacobianBlock, sum, weights []float32, self, other []S, u *jacobianUpdate, next, nextOther, x []S, lanes, driven []int32,
) {
	n := b.numbers()
	sum, self, other, next, nextOther, x = sum[:n], self[:n], other[:n], next[:n], nextOther[:n], x[:n]
	lanes, driven = lanes[:b.lanes()], driven[:b.lanes()]
	inputs := u.x[b.lo:b.hi]
	v.replace[ofWidth(b.width)](&sum[0], &weights[0], &u.keep[0], &u.mix[0], &u.drive[0], &inputs[0], &driven[0],
		&self[0], &other[0], &next[0], &nextOther[0], &x[0], &lanes[0], b.groups, b.features())
}
