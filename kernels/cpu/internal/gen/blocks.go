package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A packing is the table of a packed kernel, as package cpu's packing has it.
type packing struct {
	*machine
	table reg.Register
	h     reg.Register // elements of a block
	step  reg.Register // elements of the blocks in a register
}

const (
	rowUsed = iota
	rowFirst
	rowSteps
)

func (m *machine) packing() packing {
	load := func(name string) reg.Register { return m.Load(m.Param(name), m.GP64()) }
	return packing{m, load("table"), load("h"), load("step")}
}

func (p packing) row(i int) operand.Mem {
	return operand.Mem{Base: p.table, Disp: lineBytes * i}
}

// fold joins the lanes of each block in the order of tree, the result in
// every lane of the block. join changes v; live marks the lanes that have
// another one to join with. Steps beyond the block's size are left out.
func (p packing) fold(all []V, join func(v, other V, live operand.Mem)) []V {
	all = each(all, p.copy)
	for i, distance := range []int{8, 4, 2, 1} {
		if distance >= p.lanes {
			continue
		}
		beyond := p.label("beyond")
		p.CMPQ(p.h, operand.U8(distance))
		p.JLE(operand.LabelRef(beyond))
		order := p.set(p.row(rowSteps + 2*i))
		for _, v := range all {
			join(v, p.permute(v, order), p.row(rowSteps+2*i+1))
		}
		p.Label(beyond)
	}
	first := p.set(p.row(rowFirst))
	return each(all, func(v V) V { return p.permute(v, first) })
}

func (p packing) permute(v, order V) V {
	d := p.vec()
	p.VPERMPS(v, order, d)
	return d
}

func (p packing) sums(all []V) []V {
	return p.fold(all, func(v, other V, live operand.Mem) { p.VADDPS(p.and(other, live), v, v) })
}

func (p packing) highest(all []V) []V {
	return p.fold(all, func(v, other V, _ operand.Mem) { p.VMAXPS(other, v, v) })
}

// sideBySide is how many registers of blocks a loop computes step by step: the
// permutations of one would wait for each other.
const sideBySide = 4

// span stores f of n elements, the whole blocks of a register at a time. dst may
// be one of the arrays that f reads.
func (p packing) span(n, dst reg.Register, read []reg.Register, f func([]lanes) []V) {
	used := p.sign(p.set(p.row(rowUsed)))
	// A masked store of AVX2 is slow, and so is a load of what was just stored in
	// part. So the lanes past the blocks, which belong to the next ones, get
	// the elements of the array that dst may be.
	same := p.GP64()
	p.MOVQ(read[0], same)
	for _, r := range read[1:] {
		p.CMPQ(dst, r)
		p.CMOVQEQ(r, same)
	}
	index := p.counter()
	full := func(registers int) {
		all := make([]lanes, registers)
		for i := range all {
			all[i] = lanes{m: p.machine, index: index}
			if i > 0 {
				next := p.GP64()
				p.LEAQ(operand.Mem{Base: all[i-1].index, Index: p.step, Scale: 1}, next)
				all[i].index = next
			}
			if p.wide() {
				all[i].mask = used
			}
		}
		for i, v := range f(all) {
			if i == registers-1 && !p.wide() {
				v = p.choose(used, v, p.set(all[i].address(same)))
			}
			all[i].store(dst, v)
		}
	}
	least, steps := p.GP64(), p.GP64() // least: the last register is read in whole
	p.IMUL3Q(operand.U8(sideBySide-1), p.step, least)
	p.ADDQ(operand.U8(p.lanes), least)
	p.IMUL3Q(operand.U8(sideBySide), p.step, steps)
	p.repeat(n, least, steps, []reg.Register{index}, func() { full(sideBySide) })
	p.repeat(n, operand.U8(p.lanes), p.step, []reg.Register{index}, func() { full(1) })
	p.rest(n, func() {
		l := lanes{m: p.machine, index: index, mask: p.mask(n, 0)}
		l.store(dst, f([]lanes{l})[0])
	})
}

// each is f of all, and eachTwo of pairs.
func each[T any](all []T, f func(T) V) []V {
	out := make([]V, len(all))
	for i, v := range all {
		out[i] = f(v)
	}
	return out
}

func eachTwo(a, b []V, f func(a V, b operand.Op) V) []V {
	out := make([]V, len(a))
	for i, v := range a {
		out[i] = f(v, b[i])
	}
	return out
}

func softmaxPacked(m *machine) {
	dst, x, n, scale := m.data("dst"), m.data("x"), m.size("x"), m.scalar("scale")
	p, e := m.packing(), m.exponential()
	p.span(n, dst, []reg.Register{x}, func(at []lanes) []V {
		v := each(at, func(l lanes) V { return l.load(x) })
		v = eachTwo(v, p.highest(v), m.sub)
		v = each(v, func(v V) V { return e.ofNegative(m.mul(v, scale)) })
		return eachTwo(v, p.sums(v), m.div)
	})
}

// softmaxGradPacked is dx = (dy - sum(y*dy)) * y * scale.
func softmaxGradPacked(m *machine) {
	dx, dy, y, n, scale := m.data("dx"), m.data("dy"), m.data("y"), m.size("dx"), m.scalar("scale")
	p, zero := m.packing(), m.zero()
	p.span(n, dx, []reg.Register{dy, y}, func(at []lanes) []V {
		out := p.sums(each(at, func(l lanes) V { return m.fma(l.load(y), l.load(dy), zero) }))
		for i, l := range at {
			out[i] = m.mul(m.mul(m.sub(l.load(dy), out[i]), l.load(y)), scale)
		}
		return out
	})
}

// denominator is sum + eps, with a sum below floor in size raised to it.
// raised says where.
func (m *machine) denominator(sum, eps, floor V) (d V, raised condition) {
	raised = m.compare(lessThan, m.abs(sum), floor)
	least := m.or(floor, m.and(sum, m.bits(0x80000000)))
	return m.add(m.choose(raised, least, sum), eps), raised
}

func divideSumPacked(m *machine) {
	dst, z, n, eps, floor := m.data("dst"), m.data("z"), m.size("z"), m.scalar("eps"), m.scalar("floor")
	p, zero := m.packing(), m.zero()
	p.span(n, dst, []reg.Register{z}, func(at []lanes) []V {
		out := p.sums(each(at, func(l lanes) V { return m.add(zero, l.load(z)) }))
		for i, l := range at {
			d, _ := m.denominator(out[i], eps, floor)
			out[i] = m.div(l.load(z), d)
		}
		return out
	})
}

// divideSumGradPacked is dz = (dy - sum(y*dy)) / d, without the sum where d
// was raised.
func divideSumGradPacked(m *machine) {
	dz, dy, y, z, n := m.data("dz"), m.data("dy"), m.data("y"), m.data("z"), m.size("dz")
	eps, floor := m.scalar("eps"), m.scalar("floor")
	p, zero := m.packing(), m.zero()
	p.span(n, dz, []reg.Register{dy, y, z}, func(at []lanes) []V {
		sums := p.sums(each(at, func(l lanes) V { return m.add(zero, l.load(z)) }))
		out := p.sums(each(at, func(l lanes) V { return m.fma(l.load(y), l.load(dy), zero) }))
		for i, l := range at {
			d, raised := m.denominator(sums[i], eps, floor)
			out[i] = m.div(m.sub(l.load(dy), m.choose(raised, zero, out[i])), d)
		}
		return out
	})
}

func softmaxWide(m *machine) {
	dst, x, scale, e := m.data("dst"), m.data("x"), m.scalar("scale"), m.exponential()
	lowest := m.set(m.c(math.Inf(-1)))
	acc := m.accumulators()
	for i := range acc {
		acc[i] = m.copy(lowest)
	}
	m.groups(m.size("x"), func(part int, l lanes) {
		m.VMAXPS(l.only(l.load(x), lowest), acc[part], acc[part])
	})
	top := m.treeAll(m.VMAXPS, acc)

	zero := m.zero()
	sum := m.accumulators()
	m.groups(m.size("x"), func(part int, l lanes) {
		power := e.ofNegative(m.mul(m.sub(l.load(x), top), scale))
		l.store(dst, power)
		m.VADDPS(l.only(power, zero), sum[part], sum[part])
	})
	total := m.treeAll(m.VADDPS, sum)
	m.span(m.size("x"), func(l lanes) { l.store(dst, m.div(l.load(dst), total)) })
}

// only is v, with other in the lanes outside the mask.
func (l lanes) only(v, other V) V {
	if l.mask == nil {
		return v
	}
	return l.m.choose(l.mask, v, other)
}

func softmaxGradWide(m *machine) {
	dx, dy, y, scale := m.data("dx"), m.data("dy"), m.data("y"), m.scalar("scale")
	mean := m.sumProduct(dy, y, m.size("dx"))
	m.span(m.size("dx"), func(l lanes) {
		l.store(dx, m.mul(m.mul(m.sub(l.load(dy), mean), l.load(y)), scale))
	})
}

// sumProduct is the dot product of two arrays, in every lane.
func (m *machine) sumProduct(a, b, n reg.Register) V {
	acc := m.accumulators()
	m.groups(n, func(part int, l lanes) { m.addMul(acc[part], l.load(b), l.load(a)) })
	return m.treeAll(m.VADDPS, acc)
}

func (m *machine) sumAll(a, n reg.Register) V {
	acc := m.accumulators()
	m.groups(n, func(part int, l lanes) { m.VADDPS(l.load(a), acc[part], acc[part]) })
	return m.treeAll(m.VADDPS, acc)
}

func divideSumWide(m *machine) {
	dst, z := m.data("dst"), m.data("z")
	d, _ := m.denominator(m.sumAll(z, m.size("z")), m.scalar("eps"), m.scalar("floor"))
	m.span(m.size("z"), func(l lanes) { l.store(dst, m.div(l.load(z), d)) })
}

func divideSumGradWide(m *machine) {
	dz, dy, y, z := m.data("dz"), m.data("dy"), m.data("y"), m.data("z")
	d, raised := m.denominator(m.sumAll(z, m.size("z")), m.scalar("eps"), m.scalar("floor"))
	mean := m.choose(raised, m.zero(), m.sumProduct(dy, y, m.size("dz")))
	m.span(m.size("dz"), func(l lanes) { l.store(dz, m.div(m.sub(l.load(dy), mean), d)) })
}
