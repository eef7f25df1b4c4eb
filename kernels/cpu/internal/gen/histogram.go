package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fold is fma(keep, self, mix*other), with a row fma(hit, row, of that).
func fold(withRow bool) func(m *machine) {
	return func(m *machine) {
		dst, self, other, n := m.data("dst"), m.data("self"), m.data("other"), m.size("dst")
		keep, mix := m.scalar("keep"), m.scalar("mix")
		var row reg.Register
		var hit V
		if withRow {
			row, hit = m.data("row"), m.scalar("hit")
		}
		m.span(n, func(l lanes) {
			sum := m.mul(mix, l.load(other))
			m.addMul(sum, keep, l.load(self))
			if withRow {
				m.addMul(sum, hit, l.load(row))
			}
			l.store(dst, sum)
		})
	}
}

// bucketize counts, in every lane, the edges of its column at or below x, in
// one row.
func bucketize(m *machine) {
	dst, x, edges, first := m.data("dst"), m.data("x"), m.data("edges"), m.data("first")
	n, stride, edgeRows := m.size("dst"), m.GP64(), m.load("edgeRows")
	m.MOVQ(n, stride)
	m.SHLQ(operand.U8(2), stride)
	minusOne := m.minusOne()
	m.span(n, func(l lanes) {
		value, bucket := l.load(x), l.load(first)
		edge, left, limit := m.GP64(), m.GP64(), m.vec()
		m.LEAQ(l.address(edges), edge)
		m.MOVQ(edgeRows, left)
		loop, end := m.label("edge"), m.label("counted")
		m.Label(loop)
		m.DECQ(left)
		m.JLT(operand.LabelRef(end))
		m.masked(operand.Mem{Base: edge}, l.mask, limit)
		m.increment(atLeast, value, limit, bucket, minusOne)
		m.ADDQ(stride, edge)
		m.JMP(operand.LabelRef(loop))
		m.Label(end)
		l.store(dst, bucket)
	})
}

// maxVectors is how many registers hold the sums of sumRows.
const maxVectors = 8

// sumRows sums the rows that the index names: width numbers of each, at most
// maxVectors registers. It stops at an index outside. It has a loop for each
// number of registers, so that the sums stay in them from the first row to the
// last.
func sumRows(m *machine) {
	dst, table, index, n := m.load("dst"), m.data("table"), m.data("index"), m.size("index")
	rows, stride, width := m.load("rows"), m.load("stride"), m.load("width")
	m.SHLQ(operand.U8(2), stride)
	for vectors := 1; vectors <= maxVectors; vectors++ {
		next := m.label("wider")
		if vectors < maxVectors {
			m.CMPQ(width, operand.U8(vectors*m.lanes))
			m.JGT(operand.LabelRef(next))
		}
		m.SUBQ(operand.U8((vectors-1)*m.lanes), width)
		m.sumVectors(vectors, dst, table, index, n, rows, stride, m.mask(width, 0))
		m.Label(next)
	}
	m.Label("outside")
	m.result(0)
}

// result stores a boolean as the function's result.
func (m *machine) result(inside uint64) {
	result := m.GP8()
	m.MOVB(operand.U8(inside), result)
	m.Store(result, m.ReturnIndex(0))
}

// sumVectors adds up rows of vectors registers, the last one under a mask.
func (m *machine) sumVectors(vectors int, dst, table, index, n reg.Register, rows, stride reg.GPVirtual, mask reg.Register) {
	loop, end := m.label("row"), m.label("summed")
	sums, row := make([]V, vectors), m.GP64()
	for v := range sums {
		sums[v] = m.zero()
	}
	m.Label(loop)
	m.DECQ(n)
	m.JLT(operand.LabelRef(end))
	m.MOVLQSX(operand.Mem{Base: index}, row)
	m.CMPQ(row, rows)
	m.JCC(operand.LabelRef("outside")) // negative ones too: unsigned
	m.IMULQ(stride, row)
	m.ADDQ(table, row)
	last := sums[vectors-1]
	for v, sum := range sums[:vectors-1] {
		m.VADDPS(m.at(row, v), sum, sum)
	}
	rest := m.vec()
	m.masked(m.at(row, vectors-1), mask, rest)
	m.VADDPS(rest, last, last)
	m.ADDQ(operand.U8(4), index)
	m.JMP(operand.LabelRef(loop))
	m.Label(end)
	for v, sum := range sums[:vectors-1] {
		m.storeMasked(sum, nil, m.at(dst, v))
	}
	m.storeMasked(last, mask, m.at(dst, vectors-1))
	m.result(1)
	m.leave()
}
