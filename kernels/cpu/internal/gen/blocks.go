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
func (p packing) fold(v V, join func(v, other V, live operand.Mem)) V {
	v = p.copy(v)
	for i, distance := range []int{8, 4, 2, 1} {
		if distance >= p.lanes {
			continue
		}
		beyond := p.label("beyond")
		p.CMPQ(p.h, operand.U8(distance))
		p.JLE(operand.LabelRef(beyond))
		join(v, p.permute(v, rowSteps+2*i), p.row(rowSteps+2*i+1))
		p.Label(beyond)
	}
	return p.permute(v, rowFirst)
}

func (p packing) permute(v V, row int) V {
	d := p.vec()
	p.VPERMPS(v, p.set(p.row(row)), d)
	return d
}

func (p packing) sumOf(v V) V {
	return p.fold(v, func(v, other V, live operand.Mem) { p.VADDPS(p.and(other, live), v, v) })
}

func (p packing) maxOf(v V) V {
	return p.fold(v, func(v, other V, _ operand.Mem) { p.VMAXPS(other, v, v) })
}

// span runs body over n elements, the whole blocks of one register at a
// time. Lanes past the blocks keep what is stored there.
func (p packing) span(n reg.Register, body func(lanes)) {
	used := p.sign(p.set(p.row(rowUsed)))
	p.loop(n, p.lanes, p.step, nil, func(l lanes, rest reg.Register) {
		switch {
		case rest != nil:
			l.mask = p.mask(rest, 0)
		case p.wide():
			l.mask = used
		default:
			l.keep = used // a masked store of AVX2 is slow
		}
		body(l)
	})
}

func softmaxPacked(m *machine) {
	dst, x, n, scale := m.data("dst"), m.data("x"), m.size("x"), m.scalar("scale")
	p, e := m.packing(), m.exponential()
	p.span(n, func(l lanes) {
		v := l.load(x)
		power := e.ofNegative(m.mul(m.sub(v, p.maxOf(v)), scale))
		l.store(dst, m.div(power, p.sumOf(power)))
	})
}

// softmaxGradPacked is dx = (dy - sum(y*dy)) * y * scale.
func softmaxGradPacked(m *machine) {
	dx, dy, y, n, scale := m.data("dx"), m.data("dy"), m.data("y"), m.size("dx"), m.scalar("scale")
	p, zero := m.packing(), m.zero()
	p.span(n, func(l lanes) {
		g, v := l.load(dy), l.load(y)
		mean := p.sumOf(m.fma(v, g, zero))
		l.store(dx, m.mul(m.mul(m.sub(g, mean), v), scale))
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
	p.span(n, func(l lanes) {
		v := l.load(z)
		d, _ := m.denominator(p.sumOf(m.add(zero, v)), eps, floor)
		l.store(dst, m.div(v, d))
	})
}

// divideSumGradPacked is dz = (dy - sum(y*dy)) / d, without the sum where d
// was raised.
func divideSumGradPacked(m *machine) {
	dz, dy, y, z, n := m.data("dz"), m.data("dy"), m.data("y"), m.data("z"), m.size("dz")
	eps, floor := m.scalar("eps"), m.scalar("floor")
	p, zero := m.packing(), m.zero()
	p.span(n, func(l lanes) {
		d, raised := m.denominator(p.sumOf(m.add(zero, l.load(z))), eps, floor)
		g := l.load(dy)
		mean := p.sumOf(m.fma(l.load(y), g, zero))
		l.store(dz, m.div(m.sub(g, m.choose(raised, zero, mean)), d))
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
