package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxVectors is how many registers hold the sums.
const maxVectors = 8

// sumRows has a loop for each number of registers, so that the sums stay in
// them from the first row to the last.
func (m *machine) sumRows() {
	dst := m.number("dst")
	table, index, n := m.data("table"), m.data("index"), m.size("index")
	rows, stride, width := m.number("rows"), m.number("stride"), m.number("width")
	m.SHLQ(operand.U8(2), stride)
	for vectors := 1; vectors <= maxVectors; vectors++ {
		next := fmt.Sprintf("wider%d", vectors)
		if vectors < maxVectors {
			m.CMPQ(width, operand.U8(vectors*m.lanes))
			m.JGT(operand.LabelRef(next))
		}
		m.SUBQ(operand.U8((vectors-1)*m.lanes), width)
		m.sumVectors(vectors, dst, table, index, n, rows, stride, m.mask(width))
		m.Label(next)
	}
	m.Label("outside")
	m.finish(false)
}

// finish ends the function.
func (m *machine) finish(inside bool) {
	result := m.GP8()
	m.MOVB(operand.U8(map[bool]uint64{true: 1}[inside]), result)
	m.Store(result, m.ReturnIndex(0))
	m.VZEROUPPER()
	m.RET()
}

// sumVectors adds up rows of so many registers, the last one under a mask.
func (m *machine) sumVectors(vectors int, dst, table, index, n, rows, stride reg.GPVirtual, mask reg.Register) {
	loop, end := fmt.Sprintf("row%d", vectors), fmt.Sprintf("summed%d", vectors)
	sums := make([]reg.VecVirtual, vectors)
	for v := range sums {
		sums[v] = m.vector()
		m.VXORPS(sums[v], sums[v], sums[v])
	}
	at := func(base reg.Register, v int) operand.Mem { return operand.Mem{Base: base, Disp: 4 * v * m.lanes} }
	row := m.GP64()
	m.Label(loop)
	m.DECQ(n)
	m.JLT(operand.LabelRef(end))
	m.MOVLQSX(operand.Mem{Base: index}, row)
	m.CMPQ(row, rows)
	m.JCC(operand.LabelRef("outside")) // negative ones too: unsigned
	m.IMULQ(stride, row)
	m.ADDQ(table, row)
	for v, sum := range sums {
		if v == vectors-1 {
			m.VADDPS(m.load(at(row, v), mask), sum, sum)
		} else {
			m.VADDPS(at(row, v), sum, sum)
		}
	}
	m.ADDQ(operand.U8(4), index)
	m.JMP(operand.LabelRef(loop))
	m.Label(end)
	for v, sum := range sums {
		last := reg.Register(nil)
		if v == vectors-1 {
			last = mask
		}
		m.store(sum, at(dst, v), last)
	}
	m.finish(true)
}
