package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// jacobianFuncs writes the functions for one kind of group and of numbers.
type jacobianFuncs struct {
	registers
	name  string
	width int  // lanes of a group
	half  bool // Jacobians hold bfloat16 numbers
}

// vectors is the number of registers that hold a row of the group.
func (m *jacobianFuncs) vectors() int { return m.width / m.lanes }

// jacobianKernels read and replace blocks of Jacobians. A block has groups of 16,
// 8 or 4 lanes; a group is a row of its lanes for each feature. A group of 16 is
// one register of AVX-512 or two of AVX2; the smaller ones need no more than
// AVX2. Every lane gets the same operations in the same order, so all give the
// same bits.
func jacobianKernels(ctx *build.Context) {
	for _, half := range []bool{false, true} {
		avx512, avx2, small := registers{ctx, 16}, registers{ctx, 8}, registers{ctx, 4}
		for _, m := range []jacobianFuncs{{avx512, "16AVX512", 16, half}, {avx2, "16AVX2", 16, half}, {avx2, "8", 8, half}, {small, "4", 4, half}} {
			m.readFunc()
			m.replaceFunc()
		}
	}
}

// start begins the function of this name. doc goes on after it, and the last
// of the arguments is of the Jacobian's numbers.
func (m *jacobianFuncs) start(name, arguments string, doc ...string) {
	number := "float32"
	if m.half {
		name, number = name+"Half", "uint16"
	}
	name += m.name
	arguments += " *" + number + ", lanes *int32, groups, features int"
	m.function(name, "func("+arguments+")", doc...)
}

// size is the number of bytes of a number of a Jacobian.
func (m *jacobianFuncs) size() int {
	if m.half {
		return 2
	}
	return 4
}

// stored is vector v of the row of a Jacobian at base.
func (m *jacobianFuncs) stored(base reg.Register, v int) operand.Mem {
	return operand.Mem{Base: base, Disp: v * m.lanes * m.size()}
}

// gather loads the numbers of a row that belong to the group's lanes.
func (m *jacobianFuncs) gather(numbers, lanes reg.Register, to []V) {
	for v, r := range to {
		at := m.set(m.at(lanes, v))
		from := operand.Mem{Base: numbers, Index: at, Scale: 4}
		if m.wide() {
			all := m.K()
			m.KXNORW(all, all, all)
			m.VGATHERDPS(from, all, r)
			continue
		}
		all := m.vec()
		m.VPCMPEQD(all, all, all)
		m.VGATHERDPS(all, from, r)
	}
}

// readFunc writes the function that reads a block. While it works on a row it
// prefetches one that comes later: the hardware prefetcher does not predict it.
func (m *jacobianFuncs) readFunc() {
	m.start("jacobianRead", "sum, weights *float32, x, next",
		"adds x, each lane times its weight, to sum. The lanes have their",
		"weights at weights[lanes[i]]. The block next is fetched.")
	sum, x, next, lanes, groups := m.load("sum"), m.load("x"), m.load("next"), m.load("lanes"), m.load("groups")
	m.Label("group")
	weight := m.vecs(m.vectors())
	m.gather(m.load("weights"), lanes, weight)
	n := m.load("features")
	m.Label("feature")
	m.PREFETCHT0(operand.Mem{Base: next})
	for v := range m.vectors() {
		number := m.vec()
		m.widen(m.stored(x, v), number)
		m.addTo(sum, v, number, weight[v])
	}
	m.advance(4, sum)
	m.advance(m.size(), x, next)
	m.DECQ(n)
	m.JNE(operand.LabelRef("feature"))
	m.nextGroup(lanes, groups)
}

// addTo adds the numbers, times their weights, to vector v of the row of sum.
func (m *jacobianFuncs) addTo(sum reg.Register, v int, number, weight V) {
	total := m.vec()
	m.VMOVUPS(m.at(sum, v), total)
	m.VFMADD231PS(number, weight, total)
	m.VMOVUPS(total, m.at(sum, v))
}

// advance moves pointers to the next row, whose numbers have size bytes each.
func (m *jacobianFuncs) advance(size int, pointers ...reg.GPVirtual) {
	for _, p := range pointers {
		m.ADDQ(operand.Imm(uint64(size*m.width)), p)
	}
}

// nextGroup goes to the next group, or ends the function.
func (m *jacobianFuncs) nextGroup(lanes, groups reg.GPVirtual) {
	m.advance(4, lanes)
	m.DECQ(groups)
	m.JNE(operand.LabelRef("group"))
	m.leave()
}

// replaceFunc writes the function that reads a block and makes that of a new
// Jacobian.
func (m *jacobianFuncs) replaceFunc() {
	m.start("jacobianReplace", "sum, weights, keep, mix, drive, inputs *float32, driven *int32, self, other, next, nextOther, x",
		"adds self, each lane times its weight, to sum, and then sets x to",
		"keep self + mix other + drive inputs. The lanes have their numbers at",
		"weights[lanes[i]], keep[lanes[i]], mix[lanes[i]] and drive[driven[i]]. x may",
		"be self. The blocks next and nextOther are fetched.")
	sum, self, other, x := m.load("sum"), m.load("self"), m.load("other"), m.load("x")
	next, nextOther := m.load("next"), m.load("nextOther")
	lanes, driven, groups := m.load("lanes"), m.load("driven"), m.load("groups")
	round := m.rounding()
	m.Label("group")
	weight, keep, mix, drive := m.vecs(m.vectors()), m.vecs(m.vectors()), m.vecs(m.vectors()), m.vecs(m.vectors())
	for _, numbers := range []struct {
		name string
		to   []V
	}{{"weights", weight}, {"keep", keep}, {"mix", mix}} {
		m.gather(m.load(numbers.name), lanes, numbers.to)
	}
	m.gather(m.load("drive"), driven, drive)
	input, n := m.load("inputs"), m.load("features")
	m.Label("feature")
	m.PREFETCHT0(operand.Mem{Base: next})
	m.PREFETCHT0(operand.Mem{Base: nextOther})
	for v := range m.vectors() {
		old, number := m.vec(), m.vec()
		m.widen(m.stored(self, v), old)
		m.addTo(sum, v, old, weight[v])
		m.VBROADCASTSS(operand.Mem{Base: input}, number)
		m.VMULPS(drive[v], number, number)
		m.mixIn(m.stored(other, v), mix[v], number)
		m.VFMADD231PS(old, keep[v], number)
		round.store(number, m.stored(x, v))
	}
	m.advance(4, sum)
	m.advance(m.size(), self, other, x, next, nextOther)
	m.ADDQ(operand.Imm(4), input)
	m.DECQ(n)
	m.JNE(operand.LabelRef("feature"))
	m.advance(4, driven)
	m.nextGroup(lanes, groups)
}

// mixIn adds the stored numbers, times mix, to number.
func (m *jacobianFuncs) mixIn(stored operand.Mem, mix, number V) {
	if !m.half {
		m.VFMADD231PS(stored, mix, number)
		return
	}
	other := m.vec()
	m.widen(stored, other)
	m.VFMADD231PS(other, mix, number)
}

// widen loads numbers of a Jacobian as float32: a bfloat16 is its upper half.
func (m *jacobianFuncs) widen(from operand.Mem, to V) {
	if !m.half {
		m.VMOVUPS(from, to)
		return
	}
	m.VPMOVZXWD(from, to)
	m.VPSLLD(operand.U8(16), to, to)
}

// rounding holds the constants of the rounding to bfloat16.
type rounding struct {
	*jacobianFuncs
	one, below, quiet V // 1, 0x7fff, and the bit of a quiet NaN
}

func (m *jacobianFuncs) rounding() rounding {
	if !m.half {
		return rounding{jacobianFuncs: m}
	}
	return rounding{m, m.constant(1), m.constant(0x7fff), m.constant(0x40)}
}

// constant has these bits in every lane.
func (m *jacobianFuncs) constant(bits uint32) V {
	number, low, all := m.GP32(), m.XMM(), m.vec()
	m.MOVL(operand.U32(bits), number)
	m.VMOVD(number, low)
	m.VPBROADCASTD(low, all)
	return all
}

// store writes numbers of a Jacobian. As bfloat16 they are rounded to the
// nearest, to the even one of two: the lower half of the bits carries into
// the upper one if it is above 0x8000, or equal to it and the upper one odd.
func (r rounding) store(x V, to operand.Mem) {
	if !r.half {
		r.VMOVUPS(x, to)
		return
	}
	upper, result := r.vec(), r.vec()
	r.VPSRLD(operand.U8(16), x, upper)
	if r.wide() {
		r.VPANDD(r.one, upper, result)
	} else {
		r.VPAND(r.one, upper, result)
	}
	r.VPADDD(x, result, result)
	r.VPADDD(r.below, result, result)
	r.VPSRLD(operand.U8(16), result, result)
	r.keepNaN(x, upper, result)
	r.narrow(result, to)
}

// keepNaN puts the upper half of x, made quiet, where x is NaN, which the
// carry could have made infinite.
func (r rounding) keepNaN(x, upper, result V) {
	if r.wide() {
		nan := r.K()
		r.VCMPPS(unordered, x, x, nan)
		r.VPORD(r.quiet, upper, nan, result)
		return
	}
	nan := r.vec()
	r.VCMPPS(unordered, x, x, nan)
	r.VPOR(r.quiet, upper, upper)
	r.VPBLENDVB(nan, upper, result, result)
}

// narrow stores the lower half of each number.
func (r rounding) narrow(x V, to operand.Mem) {
	switch r.lanes {
	case 16:
		r.VPMOVDW(x, to)
	case 8:
		high := r.XMM()
		r.VEXTRACTI128(operand.U8(1), x, high)
		r.VPACKUSDW(high, x.AsX(), high)
		r.VMOVDQU(high, to)
	default:
		r.VPACKUSDW(x, x, x)
		r.VMOVQ(x, to)
	}
}
