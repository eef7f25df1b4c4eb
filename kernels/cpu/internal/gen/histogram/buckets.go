package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// atLeast is the predicate of VCMPPS for >=, false where an operand is NaN.
const atLeast = operand.U8(0x1d)

// bucketize counts, in every lane, the edges of its column.
func (m *machine) bucketize() {
	dst, x, edges, first := m.data("dst"), m.data("x"), m.data("edges"), m.data("first")
	n, stride, edgeRows := m.size("dst"), m.GP64(), m.number("edgeRows")
	m.MOVQ(n, stride)
	m.SHLQ(operand.U8(2), stride)
	one := m.ones()
	m.span(n, func(at func(reg.Register) operand.Mem, mask reg.Register) {
		value, bucket := m.load(at(x), mask), m.load(at(first), mask)
		edge, left := m.GP64(), m.GP64()
		m.LEAQ(at(edges), edge)
		m.MOVQ(edgeRows, left)
		loop, end := m.label("edge", mask), m.label("counted", mask)
		m.Label(loop)
		m.DECQ(left)
		m.JLT(operand.LabelRef(end))
		m.countEdge(operand.Mem{Base: edge}, value, bucket, one, mask)
		m.ADDQ(stride, edge)
		m.JMP(operand.LabelRef(loop))
		m.Label(end)
		m.store(bucket, at(dst), mask)
	})
}

// label tells the last lanes' code from that of full registers.
func (m *machine) label(name string, mask reg.Register) string {
	return fmt.Sprintf("%s%t", name, mask != nil)
}

// ones has the integer -1 in every lane.
func (m *machine) ones() reg.VecVirtual {
	v := m.vector()
	if m.wide() {
		m.VPTERNLOGD(operand.U8(0xff), v, v, v)
	} else {
		m.VPCMPEQD(v, v, v)
	}
	return v
}

// countEdge adds one to the bucket where the value is at or above the edge.
func (m *machine) countEdge(edge operand.Mem, value, bucket, minusOne reg.VecVirtual, mask reg.Register) {
	limit, above := m.load(edge, mask), reg.Register(nil)
	if m.wide() {
		above = m.K()
		m.VCMPPS(atLeast, limit, value, above)
		m.VPSUBD(minusOne, bucket, above, bucket)
		return
	}
	all := m.YMM()
	m.VCMPPS(atLeast, limit, value, all)
	m.VPSUBD(all, bucket, bucket)
}
