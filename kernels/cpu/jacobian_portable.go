package cpu

import "dgsbench/kernels/portable"

// spread gives each lane of a group its number.
func spread(dst, numbers []float32, lanes []int32) {
	for i, at := range lanes {
		dst[i] = numbers[at]
	}
}

// readPortable is jacobianCode.read, which leaves it to the processor what to
// fetch.
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

// writePortable is jacobianCode.write.
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
