package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// readFunc writes the function that reads a block. While it works on a row it
// asks for one of the block that comes later: the processor does not guess
// where that is.
func (m *machine) readFunc() {
	m.start("jacobianRead", "sum, keep, weights *float32, x, next",
		"copies x to keep and adds x, each lane times its weight, to sum. The",
		"lanes have their weights at weights[lanes[i]]. The block next is fetched.")
	sum, keep, weights := m.load("sum"), m.load("keep"), m.load("weights")
	x, next, lanes, groups := m.load("x"), m.load("next"), m.load("lanes"), m.load("groups")
	m.Label("group")
	weight := m.row()
	m.gather(weights, lanes, weight)
	n := m.load("features")
	m.Label("feature")
	m.PREFETCHT0(operand.Mem{Base: next})
	for v := range m.vectors() {
		number, total := m.vector(), m.vector()
		m.widen(m.stored(x, v), number)
		m.VMOVUPS(m.at(sum, v), total)
		m.VMOVUPS(number, m.at(keep, v))
		m.VFMADD231PS(number, weight[v], total)
		m.VMOVUPS(total, m.at(sum, v))
	}
	m.advance(4, sum, keep)
	m.advance(m.size(), x, next)
	m.DECQ(n)
	m.JNE(operand.LabelRef("feature"))
	m.nextGroup(lanes, groups)
}

// advance moves pointers to the next row, whose numbers have so many bytes.
func (m *machine) advance(size int, pointers ...reg.GPVirtual) {
	for _, p := range pointers {
		m.ADDQ(operand.Imm(uint64(size*m.lanes)), p)
	}
}

// nextGroup goes to the next group, or ends the function.
func (m *machine) nextGroup(lanes, groups reg.GPVirtual) {
	m.advance(4, lanes)
	m.DECQ(groups)
	m.JNE(operand.LabelRef("group"))
	m.VZEROUPPER()
	m.RET()
}
