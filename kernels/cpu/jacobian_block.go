package cpu

//go:generate go run ./internal/gen/jacobian

import "dgsbench/kernels/portable"

// jacobianBlock is a part that lies in one piece in every Jacobian: a range
// of features of some groups of lanes, all features if there are several
// groups.
type jacobianBlock struct {
	lane, width, groups int // the first lane, the lanes of a group
	lo, hi              int // features
}

// numbers is how many there are in the block.
func (b *jacobianBlock) numbers() int { return b.groups * b.width * (b.hi - b.lo) }

// lanes is the number of lanes in the block.
func (b *jacobianBlock) lanes() int { return b.groups * b.width }

// readJacobian copies the block x to keep and adds it, each lane times its
// weight, to sum; lane i of the block has the weight weights[lanes[i]]. The
// block that will be read next is fetched meanwhile.
func (k Kernels) readJacobian(b *jacobianBlock, sum, keep, weights, x, next []float32, lanes []int32) {
	n, features := b.numbers(), b.hi-b.lo
	sum, keep, x, next, lanes = sum[:n], keep[:n], x[:n], next[:n], lanes[:b.lanes()]
	switch {
	case k.level == Portable:
		readPortable(b, sum, keep, weights, x, lanes)
	case b.width == 4:
		jacobianRead4(&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, features)
	case b.width == 8:
		jacobianRead8(&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, features)
	case k.level == AVX2:
		jacobianRead16AVX2(&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, features)
	default:
		jacobianRead16AVX512(&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, features)
	}
}

// readJacobianHalf is readJacobian for a block of bfloat16 numbers.
func (k Kernels) readJacobianHalf(b *jacobianBlock, sum, keep, weights []float32, x, next []uint16, lanes []int32) {
	n, features := b.numbers(), b.hi-b.lo
	sum, keep, x, next, lanes = sum[:n], keep[:n], x[:n], next[:n], lanes[:b.lanes()]
	switch {
	case k.level == Portable:
		for i, v := range x {
			keep[i] = portable.FromBFloat16(v)
		}
		readPortable(b, sum, keep, weights, keep, lanes)
	case b.width == 4:
		jacobianReadHalf4(&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, features)
	case b.width == 8:
		jacobianReadHalf8(&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, features)
	case k.level == AVX2:
		jacobianReadHalf16AVX2(&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, features)
	default:
		jacobianReadHalf16AVX512(&sum[0], &keep[0], &weights[0], &x[0], &next[0], &lanes[0], b.groups, features)
	}
}

func readPortable(b *jacobianBlock, sum, keep, weights, x []float32, lanes []int32) {
	var spread [16]float32
	for size := b.width * (b.hi - b.lo); len(x) > 0; sum, keep, x, lanes = sum[size:], keep[size:], x[size:], lanes[b.width:] {
		own := spread[:b.width]
		portable.GatherRows(own, 1, weights, 1, 1, lanes[:b.width])
		portable.ReadJacobian(sum[:size], keep[:size], x[:size], own)
	}
}

// jacobianUpdate is what a new Jacobian is made of, besides older ones: rows
// of numbers for each number of the state (keep and mix) and each lane
// (drive), and the input, which has one for each feature.
type jacobianUpdate struct {
	keep, mix, drive, x []float32
}

// writeJacobian sets the block dst to keep self + mix other + drive x. Lane
// i of the block has the number lanes[i] of keep and mix, and driven[i] of
// drive.
func (k Kernels) writeJacobian(b *jacobianBlock, dst, self, other []float32, u *jacobianUpdate, lanes, driven []int32) {
	n, features := b.numbers(), b.hi-b.lo
	dst, self, other, lanes, driven = dst[:n], self[:n], other[:n], lanes[:b.lanes()], driven[:b.lanes()]
	x := u.x[b.lo:b.hi]
	switch {
	case k.level == Portable:
		writePortable(b, dst, self, other, u, lanes, driven)
	case b.width == 4:
		jacobianWrite4(&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &x[0], &driven[0], &dst[0], &lanes[0], b.groups, features)
	case b.width == 8:
		jacobianWrite8(&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &x[0], &driven[0], &dst[0], &lanes[0], b.groups, features)
	case k.level == AVX2:
		jacobianWrite16AVX2(&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &x[0], &driven[0], &dst[0], &lanes[0], b.groups, features)
	default:
		jacobianWrite16AVX512(&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &x[0], &driven[0], &dst[0], &lanes[0], b.groups, features)
	}
}

// writeJacobianHalf is writeJacobian for a block of bfloat16 numbers.
func (k Kernels) writeJacobianHalf(b *jacobianBlock, dst []uint16, self, other []float32, u *jacobianUpdate, lanes, driven []int32) {
	n, features := b.numbers(), b.hi-b.lo
	dst, self, other, lanes, driven = dst[:n], self[:n], other[:n], lanes[:b.lanes()], driven[:b.lanes()]
	x := u.x[b.lo:b.hi]
	switch {
	case k.level == Portable:
		writePortableHalf(b, dst, self, other, u, lanes, driven)
	case b.width == 4:
		jacobianWriteHalf4(&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &x[0], &driven[0], &dst[0], &lanes[0], b.groups, features)
	case b.width == 8:
		jacobianWriteHalf8(&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &x[0], &driven[0], &dst[0], &lanes[0], b.groups, features)
	case k.level == AVX2:
		jacobianWriteHalf16AVX2(&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &x[0], &driven[0], &dst[0], &lanes[0], b.groups, features)
	default:
		jacobianWriteHalf16AVX512(&self[0], &other[0], &u.keep[0], &u.mix[0], &u.drive[0], &x[0], &driven[0], &dst[0], &lanes[0], b.groups, features)
	}
}

func writePortable(b *jacobianBlock, dst, self, other []float32, u *jacobianUpdate, lanes, driven []int32) {
	var keep, mix, drive [16]float32
	w, size := b.width, b.width*(b.hi-b.lo)
	for ; len(dst) > 0; dst, self, other, lanes, driven = dst[size:], self[size:], other[size:], lanes[w:], driven[w:] {
		portable.GatherRows(keep[:w], 1, u.keep, 1, 1, lanes[:w])
		portable.GatherRows(mix[:w], 1, u.mix, 1, 1, lanes[:w])
		portable.GatherRows(drive[:w], 1, u.drive, 1, 1, driven[:w])
		portable.WriteJacobian(dst[:size], self[:size], other[:size], keep[:w], mix[:w], drive[:w], u.x[b.lo:b.hi])
	}
}

func writePortableHalf(b *jacobianBlock, dst []uint16, self, other []float32, u *jacobianUpdate, lanes, driven []int32) {
	var row [16]float32
	one := *b
	one.groups = 1
	for len(dst) > 0 {
		for c := b.lo; c < b.hi; c++ {
			one.lo, one.hi = c, c+1
			writePortable(&one, row[:b.width], self[:b.width], other[:b.width], u, lanes[:b.width], driven[:b.width])
			for i, v := range row[:b.width] {
				dst[i] = portable.BFloat16(v)
			}
			dst, self, other = dst[b.width:], self[b.width:], other[b.width:]
		}
		lanes, driven = lanes[b.width:], driven[b.width:]
	}
}
