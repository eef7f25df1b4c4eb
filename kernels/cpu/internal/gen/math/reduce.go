package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var reductions = []kernel{
	{"sum", "func(x []float32) (s float32)", func(m *machine) {
		x, n := m.data("x"), m.size("x")
		m.reduction(n, func(l lanes, acc V) { m.VADDPS(l.load(x), acc, acc) })
	}},
	{"dot", "func(a, b []float32) (s float32)", func(m *machine) {
		a, b, n := m.data("a"), m.data("b"), m.size("a")
		m.reduction(n, func(l lanes, acc V) { m.addMul(acc, l.load(a), l.load(b)) })
	}},
	{"dotSum", "func(a, u, v []float32) (s float32)", func(m *machine) {
		a, u, v, n := m.data("a"), m.data("u"), m.data("v"), m.size("a")
		m.reduction(n, func(l lanes, acc V) { m.addMul(acc, l.load(a), m.add(l.load(u), l.load(v))) })
	}},
}

// reduction returns a float32 that is summed over all elements in sixteen
// lanes: lane i takes elements i, i+16, i+32, ... in order.
func (m *machine) reduction(n reg.Register, step func(l lanes, acc V)) {
	result, err := m.ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	acc := m.accumulators()
	m.groups(n, func(part int, l lanes) { step(l, acc[part]) })
	m.VMOVSS(m.tree(m.VADDPS, acc), result.Addr)
}

// accumulators are sixteen lanes of zeros.
func (m *machine) accumulators() []V {
	acc := make([]V, 16/m.lanes)
	for i := range acc {
		acc[i] = m.zero()
	}
	return acc
}

// tree joins sixteen lanes in the one order that all kernels use: lane i
// with i+8, then with i+4, i+2 and i+1. The result is in the lowest lane.
func (m *machine) tree(op func(...operand.Op), acc []V) V {
	eight, other := m.YMM(), m.YMM()
	if m.wide() {
		m.VEXTRACTF32X8(operand.U8(1), acc[0], other)
		op(other, acc[0].AsY(), eight)
	} else {
		op(acc[1], acc[0], eight)
	}
	four, half := m.XMM(), m.XMM()
	m.VEXTRACTF128(operand.U8(1), eight, half)
	op(half, eight.AsX(), four)
	two, pair := m.XMM(), m.XMM()
	m.VMOVHLPS(four, four, pair)
	op(pair, four, two)
	one, single := m.XMM(), m.XMM()
	m.VMOVSHDUP(two, single)
	op(single, two, one)
	return one
}

// treeAll is tree with the result in every lane.
func (m *machine) treeAll(op func(...operand.Op), acc []V) V {
	d := m.vec()
	m.VBROADCASTSS(m.tree(op, acc), d)
	return d
}
