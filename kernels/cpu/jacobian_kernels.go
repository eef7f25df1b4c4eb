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
	// read copies the block x to keep and adds it, each lane times its
	// weight, to sum. Lane i of the block has the weight weights[lanes[i]].
	// Meanwhile the block next is fetched from memory.
	read func(b *jacobianBlock, sum, keep, weights []float32, x, next []S, lanes []int32)
	// write sets the block x to keep self + mix other + drive input. Lane i
	// of the block has the numbers lanes[i] of keep and mix, and driven[i]
	// of drive.
	write func(b *jacobianBlock, x []S, self, other []float32, u *jacobianUpdate, lanes, driven []int32)
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
func readPortable(b *jacobianBlock, sum, keep, weights, x, _ []float32, lanes []int32) {
	var row [16]float32
	size := b.width * b.features()
	for g := range b.groups {
		spread(row[:b.width], weights, lanes[g*b.width:][:b.width])
		portable.ReadJacobian(sum[g*size:], keep[g*size:], x[g*size:][:size], row[:b.width])
	}
}

// readPortableHalf is readPortable for bfloat16.
func readPortableHalf(b *jacobianBlock, sum, keep, weights []float32, x, _ []uint16, lanes []int32) {
	keep = keep[:b.numbers()]
	for i := range keep {
		keep[i] = portable.FromBFloat16(x[i])
	}
	readPortable(b, sum, keep, weights, keep, nil, lanes)
}

// writePortable is jacobianKernels.write.
func writePortable(b *jacobianBlock, x, self, other []float32, u *jacobianUpdate, lanes, driven []int32) {
	size := b.width * b.features()
	for g := range b.groups {
		row := u.group(b, g, lanes, driven)
		w := b.width
		portable.WriteJacobian(x[g*size:], self[g*size:], other[g*size:], row.keep[:w], row.mix[:w], row.drive[:w], u.x[b.lo:b.hi])
	}
}

// writePortableHalf is writePortable for bfloat16.
func writePortableHalf(b *jacobianBlock, x []uint16, self, other []float32, u *jacobianUpdate, lanes, driven []int32) {
	var rounded [16]float32
	w := b.width
	at := 0
	for g := range b.groups {
		row := u.group(b, g, lanes, driven)
		for c := b.lo; c < b.hi; c++ {
			portable.WriteJacobian(rounded[:w], self[at:], other[at:], row.keep[:w], row.mix[:w], row.drive[:w], u.x[c:c+1])
			for i, v := range rounded[:w] {
				x[at+i] = portable.BFloat16(v)
			}
			at += w
		}
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
	read  [3]vectorRead[S]
	write [3]vectorWrite[S]
}

type (
	vectorRead[S any]  func(sum, keep, weights *float32, x, next *S, lanes *int32, groups, features int)
	vectorWrite[S any] func(self, other, keep, mix, drive, input *float32, driven *int32, x *S, lanes *int32, groups, features int)
)

// kernels returns those that call the functions of the block's width.
func (v jacobianVectors[S]) kernels() jacobianKernels[S] {
	return jacobianKernels[S]{v.readBlock, v.writeBlock}
}

// ofWidth is the index of the function for groups of this many lanes.
func ofWidth(lanes int) int { return bits.TrailingZeros(uint(lanes)) - 2 }

// readBlock is jacobianKernels.read.
func (v *jacobianVectors[S]) readBlock(b *jacobianBlock, sum, keep, weights []float32, x, next []S, lanes []int32) {
	n := b.numbers()
	sum, keep, x, next, lanes = sum[:n], keep[:n], x[:n], next[:n], lanes[:b.lanes()]
	v.read[ofWidth(b.width)](&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, b.features())
}

// writeBlock is jacobianKernels.write.
func (v *jacobianVectors[S]) writeBlock(b *jacobianBlock, x []S, self, other []float32, u *jacobianUpdate, lanes, driven []int32) {
	n := b.numbers()
	x, self, other, lanes, driven = x[:n], self[:n], other[:n], lanes[:b.lanes()], driven[:b.lanes()]
	input := u.x[b.lo:b.hi]
	v.write[ofWidth(b.width)](&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &input[0],
		&driven[0], &x[0], &lanes[0], b.groups, b.features())
}
