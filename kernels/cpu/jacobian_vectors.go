package cpu

//go:generate go run ./internal/gen/jacobian

import "math/bits"

// jacobianVectors are functions in assembly for groups of 4, 8 and 16 lanes.
type jacobianVectors[S float32 | uint16] struct {
	read  [3]vectorRead[S]
	write [3]vectorWrite[S]
}

type (
	vectorRead[S any]  func(sum, keep, weights *float32, x, next *S, lanes *int32, groups, features int)
	vectorWrite[S any] func(self, other, keep, mix, drive, input *float32, driven *int32, x *S, lanes *int32, groups, features int)
)

var (
	jacobianAVX2 = jacobianVectors[float32]{
		read:  [...]vectorRead[float32]{jacobianRead4, jacobianRead8, jacobianRead16AVX2},
		write: [...]vectorWrite[float32]{jacobianWrite4, jacobianWrite8, jacobianWrite16AVX2},
	}
	jacobianAVX512 = jacobianVectors[float32]{
		read:  [...]vectorRead[float32]{jacobianRead4, jacobianRead8, jacobianRead16AVX512},
		write: [...]vectorWrite[float32]{jacobianWrite4, jacobianWrite8, jacobianWrite16AVX512},
	}
	jacobianHalfAVX2 = jacobianVectors[uint16]{
		read:  [...]vectorRead[uint16]{jacobianReadHalf4, jacobianReadHalf8, jacobianReadHalf16AVX2},
		write: [...]vectorWrite[uint16]{jacobianWriteHalf4, jacobianWriteHalf8, jacobianWriteHalf16AVX2},
	}
	jacobianHalfAVX512 = jacobianVectors[uint16]{
		read:  [...]vectorRead[uint16]{jacobianReadHalf4, jacobianReadHalf8, jacobianReadHalf16AVX512},
		write: [...]vectorWrite[uint16]{jacobianWriteHalf4, jacobianWriteHalf8, jacobianWriteHalf16AVX512},
	}
)

// ofWidth is the index of the function for groups of so many lanes.
func ofWidth(lanes int) int { return bits.TrailingZeros(uint(lanes)) - 2 }

// readBlock is jacobianCode.read.
func (v *jacobianVectors[S]) readBlock(b *jacobianBlock, sum, keep, weights []float32, x, next []S, lanes []int32) {
	n := b.numbers()
	sum, keep, x, next, lanes = sum[:n], keep[:n], x[:n], next[:n], lanes[:b.lanes()]
	v.read[ofWidth(b.width)](&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, b.features())
}

// writeBlock is jacobianCode.write.
func (v *jacobianVectors[S]) writeBlock(b *jacobianBlock, x []S, self, other []float32, u *jacobianUpdate, lanes, driven []int32) {
	n := b.numbers()
	x, self, other, lanes, driven = x[:n], self[:n], other[:n], lanes[:b.lanes()], driven[:b.lanes()]
	input := u.x[b.lo:b.hi]
	v.write[ofWidth(b.width)](&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &input[0],
		&driven[0], &x[0], &lanes[0], b.groups, b.features())
}
