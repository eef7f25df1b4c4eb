package main

import "github.com/mmcloughlin/avo/operand"

// writeFunc writes the function that makes a block of a new Jacobian.
func (m *machine) writeFunc() {
	m.start("jacobianWrite", "self, other, keep, mix, drive, inputs *float32, driven *int32, x",
		"is x = keep self + mix other + drive inputs. The lanes have their numbers",
		"at keep[lanes[i]], mix[lanes[i]] and drive[driven[i]].")
	self, other, x, lanes, driven := m.load("self"), m.load("other"), m.load("x"), m.load("lanes"), m.load("driven")
	groups := m.load("groups")
	round := m.rounding()
	m.Label("group")
	keep, mix, drive := m.row(), m.row(), m.row()
	m.gather(m.load("keep"), lanes, keep)
	m.gather(m.load("mix"), lanes, mix)
	m.gather(m.load("drive"), driven, drive)
	input, n := m.load("inputs"), m.load("features")
	m.Label("feature")
	broadcast := m.vector()
	m.VBROADCASTSS(operand.Mem{Base: input}, broadcast)
	for v := range m.vectors() {
		number := m.vector()
		m.VMULPS(broadcast, drive[v], number)
		m.VFMADD231PS(m.at(other, v), mix[v], number)
		m.VFMADD231PS(m.at(self, v), keep[v], number)
		round.store(number, m.stored(x, v))
	}
	m.advance(4, self, other)
	m.advance(m.size(), x)
	m.ADDQ(operand.Imm(4), input)
	m.DECQ(n)
	m.JNE(operand.LabelRef("feature"))
	m.advance(4, driven)
	m.nextGroup(lanes, groups)
}
