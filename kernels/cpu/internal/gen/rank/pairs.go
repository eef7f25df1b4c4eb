package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blockEvents is the number of events in a block of U, which holds dim rows
// of them.
const blockEvents = 16

// group is the number of candidates that share the loads of U.
const group = 4

// pairs writes the loop over pairs of events and candidates. Lanes are
// events; a candidate's elements are broadcast. So each score is one sum in
// order, whichever lane and group it is in.
type pairs struct {
	*build.Context
	lanes, vectors int

	u, w, rows, n  reg.GPVirtual
	block1, block3 reg.GPVirtual // one and three blocks of U, in bytes
	zero           reg.VecVirtual
}

const pairArguments = "u *float32, uBlock uintptr, p *float32, pRow uintptr, w *float32, dim int, rows *int32, n int"

// pairsFunc writes a function: tail receives the scores of one to group
// candidates in registers, scores[candidate][vector].
func pairsFunc(ctx *build.Context, name string, lanes, vectors int, results string, doc []string, tail func(m *pairs, scores [][]reg.VecVirtual)) {
	ctx.Function(name)
	ctx.Attributes(attr.NOSPLIT)
	ctx.Pragma("noescape")
	ctx.Doc(append([]string{name + doc[0]}, doc[1:]...)...)
	ctx.SignatureExpr(fmt.Sprintf("func(%s, %s)", pairArguments, results))
	m := &pairs{Context: ctx, lanes: lanes, vectors: vectors}
	m.arguments()

	ctx.Label("groups")
	ctx.CMPQ(m.n, operand.Imm(group))
	ctx.JLT(operand.LabelRef("singles"))
	m.candidates(group, tail)
	ctx.JMP(operand.LabelRef("groups"))
	ctx.Label("singles")
	ctx.TESTQ(m.n, m.n)
	ctx.JE(operand.LabelRef("done"))
	m.candidates(1, tail)
	ctx.JMP(operand.LabelRef("singles"))
	ctx.Label("done")
	ctx.VZEROUPPER()
	ctx.RET()
}

func (m *pairs) load(name string) reg.GPVirtual {
	r := m.GP64()
	m.Load(m.Param(name), r)
	return r
}

func (m *pairs) vector() reg.VecVirtual {
	if m.lanes == 16 {
		return m.ZMM()
	}
	return m.YMM()
}

// at is vector v behind base.
func (m *pairs) at(base reg.Register, v int) operand.Mem {
	return operand.Mem{Base: base, Disp: v * m.lanes * 4}
}

// events is vector v of a row of U. A vector of AVX-512 is a block, of AVX2
// half a block.
func (m *pairs) events(u reg.Register, v int) operand.Mem {
	switch {
	case m.lanes < blockEvents || v == 0:
		return m.at(u, v)
	case v == 3:
		return operand.Mem{Base: u, Index: m.block3, Scale: 1}
	}
	return operand.Mem{Base: u, Index: m.block1, Scale: uint8(v)}
}

func (m *pairs) arguments() {
	m.u, m.w, m.rows, m.n = m.load("u"), m.end(m.load("w")), m.load("rows"), m.load("n")
	m.block1, m.block3 = m.load("uBlock"), m.GP64()
	m.LEAQ(operand.Mem{Base: m.block1, Index: m.block1, Scale: 2}, m.block3)
	m.zero = m.vector()
	m.VXORPS(m.zero, m.zero, m.zero)
}

// end moves a pointer behind its dim elements: the loop over dim has one
// index for all pointers, which runs from -dim to zero.
func (m *pairs) end(pointer reg.GPVirtual) reg.GPVirtual {
	dim := m.load("dim")
	m.LEAQ(operand.Mem{Base: pointer, Index: dim, Scale: 4}, pointer)
	return pointer
}

// candidates scores the next count candidates and gives them to tail.
func (m *pairs) candidates(count int, tail func(m *pairs, scores [][]reg.VecVirtual)) {
	candidate := make([]reg.GPVirtual, count)
	for c := range candidate {
		row, step := m.GP64(), m.load("pRow")
		m.MOVLQSX(operand.Mem{Base: m.rows, Disp: c * 4}, row)
		m.IMULQ(step, row)
		base := m.load("p")
		m.ADDQ(base, row)
		candidate[c] = m.end(row)
	}
	m.ADDQ(operand.Imm(uint64(count*4)), m.rows)
	m.SUBQ(operand.Imm(uint64(count)), m.n)

	scores := make([][]reg.VecVirtual, count)
	for c := range scores {
		for range m.vectors {
			sum := m.vector()
			m.VXORPS(sum, sum, sum)
			scores[c] = append(scores[c], sum)
		}
	}
	m.dimensions(candidate, scores)
	tail(m, scores)
}

// dimensions adds w_j relu(u_j + p_j) to the scores for every j.
func (m *pairs) dimensions(candidate []reg.GPVirtual, scores [][]reg.VecVirtual) {
	loop, done := fmt.Sprintf("dimension%d", len(scores)), fmt.Sprintf("scored%d", len(scores))
	u, j := m.GP64(), m.load("dim")
	m.MOVQ(m.u, u)
	m.NEGQ(j)
	m.SHLQ(operand.U8(2), j)
	m.JE(operand.LabelRef(done))
	m.Label(loop)
	events := make([]reg.VecVirtual, m.vectors)
	for v := range events {
		events[v] = m.vector()
		m.VMOVUPS(m.events(u, v), events[v])
	}
	weight := m.vector()
	m.VBROADCASTSS(operand.Mem{Base: m.w, Index: j, Scale: 1}, weight)
	for c, sums := range scores {
		p := m.vector()
		m.VBROADCASTSS(operand.Mem{Base: candidate[c], Index: j, Scale: 1}, p)
		for v, sum := range sums {
			x := m.vector()
			m.VADDPS(p, events[v], x)
			m.VMAXPS(x, m.zero, x) // of two, one of them NaN, the second: x
			m.VFMADD231PS(x, weight, sum)
		}
	}
	m.ADDQ(operand.Imm(blockEvents*4), u)
	m.ADDQ(operand.Imm(4), j)
	m.JNE(operand.LabelRef(loop))
	m.Label(done)
}
