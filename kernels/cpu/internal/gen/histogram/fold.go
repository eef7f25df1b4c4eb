package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// foldRow is fma(keep, self, mix*other).
func (m *machine) foldRow() { m.fold(nil, nil) }

// foldAdd is fma(hit, row, fma(keep, self, mix*other)).
func (m *machine) foldAdd() { m.fold(m.data("row"), m.scalar("hit")) }

func (m *machine) fold(row reg.Register, hit reg.VecVirtual) {
	dst, self, other, n := m.data("dst"), m.data("self"), m.data("other"), m.size("dst")
	keep, mix := m.scalar("keep"), m.scalar("mix")
	m.span(n, func(at func(reg.Register) operand.Mem, mask reg.Register) {
		sum := m.vector()
		m.VMULPS(m.load(at(other), mask), mix, sum)
		m.VFMADD231PS(m.load(at(self), mask), keep, sum)
		if row != nil {
			m.VFMADD231PS(m.load(at(row), mask), hit, sum)
		}
		m.store(sum, at(dst), mask)
	})
}
