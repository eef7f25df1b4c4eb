package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blockEvents is the number of events in a block of U, which holds dim rows
// of them.
const blockEvents = 16

// pairs writes the loop over pairs of events and candidates. Lanes are
// events; a candidate's elements are broadcast. So each score is one sum in
// order, whichever lane and group it is in.
type pairs struct {
	*build.Context
	shape

	u, w, rows, n  reg.GPVirtual
	block1, block3 reg.GPVirtual // one and three blocks of U, in bytes
	zero           reg.VecVirtual
}

// shape is what tells the functions apart.
type shape struct {
	lanes, vectors int  // of a vector; vectors of events
	moving         bool // candidates move with time
}

func (s shape) events() int { return s.lanes * s.vectors }

// group is the number of candidates that share the loads of U. Those that
// move take twice the registers.
func (s shape) group() int {
	if s.moving {
		return 2
	}
	return 4
}

func (s shape) doc() string {
	if s.moving {
		return fmt.Sprintf(" scores n candidates, rows of p + (time of event + time of node) slope,\nfor %d events, the lanes.", s.events())
	}
	return fmt.Sprintf(" scores n candidates, rows of p, for %d events, the lanes.", s.events())
}

// arguments of all functions, and of those with moving candidates.
const (
	pairArguments   = "u *float32, uBlock uintptr, p *float32, pRow uintptr, w *float32, dim int, rows *int32, n int"
	movingArguments = ", slope, eventTime, nodeTime *float32"
)

// pairsFunc writes a function: tail receives the scores of one to group
// candidates in registers, scores[candidate][vector].
func pairsFunc(ctx *build.Context, name string, s shape, results string, doc []string, tail func(m *pairs, scores [][]reg.VecVirtual)) {
	ctx.Function(name)
	ctx.Attributes(attr.NOSPLIT)
	ctx.Pragma("noescape")
	ctx.Doc(append(strings.Split(name+s.doc(), "\n"), doc...)...)
	arguments := pairArguments
	if s.moving {
		arguments += movingArguments
	}
	ctx.SignatureExpr(fmt.Sprintf("func(%s, %s)", arguments, results))
	m := &pairs{Context: ctx, shape: s}
	m.arguments()

	ctx.Label("groups")
	ctx.CMPQ(m.n, operand.Imm(uint64(s.group())))
	ctx.JLT(operand.LabelRef("singles"))
	m.candidates(s.group(), tail)
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

// rowOf is vector v of a row of U. A vector of AVX-512 is a block, of AVX2
// half a block.
func (m *pairs) rowOf(u reg.Register, v int) operand.Mem {
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

// candidate is one of a group: where its rows end, and how far it has moved
// at the time of each event.
type candidate struct {
	p, slope reg.GPVirtual
	moved    []reg.VecVirtual
}

// candidates scores the next count candidates and gives them to tail.
func (m *pairs) candidates(count int, tail func(m *pairs, scores [][]reg.VecVirtual)) {
	group := make([]candidate, count)
	for c := range group {
		group[c] = m.candidate(c)
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
	m.dimensions(group, scores)
	tail(m, scores)
}

// candidate finds the next but c.
func (m *pairs) candidate(c int) candidate {
	var out candidate
	row, step := m.GP64(), m.load("pRow")
	m.MOVLQSX(operand.Mem{Base: m.rows, Disp: c * 4}, row)
	if m.moving {
		out.moved = m.moved(row)
	}
	m.IMULQ(step, row)
	if m.moving {
		slope := m.load("slope")
		m.ADDQ(row, slope)
		out.slope = m.end(slope)
	}
	base := m.load("p")
	m.ADDQ(base, row)
	out.p = m.end(row)
	return out
}

// moved is the events' times plus that of a node.
func (m *pairs) moved(node reg.GPVirtual) []reg.VecVirtual {
	nodes, events := m.load("nodeTime"), m.load("eventTime")
	time := m.vector()
	m.VBROADCASTSS(operand.Mem{Base: nodes, Index: node, Scale: 4}, time)
	out := make([]reg.VecVirtual, m.vectors)
	for v := range out {
		out[v] = m.vector()
		m.VADDPS(m.at(events, v), time, out[v])
	}
	return out
}

// dimensions adds w_j relu(u_j + p_j) to the scores for every j.
func (m *pairs) dimensions(group []candidate, scores [][]reg.VecVirtual) {
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
		m.VMOVUPS(m.rowOf(u, v), events[v])
	}
	weight := m.vector()
	m.VBROADCASTSS(operand.Mem{Base: m.w, Index: j, Scale: 1}, weight)
	for c, sums := range scores {
		m.dimension(group[c], j, events, weight, sums)
	}
	m.ADDQ(operand.Imm(blockEvents*4), u)
	m.ADDQ(operand.Imm(4), j)
	m.JNE(operand.LabelRef(loop))
	m.Label(done)
}

// dimension adds that of one candidate.
func (m *pairs) dimension(c candidate, j reg.GPVirtual, events []reg.VecVirtual, weight reg.VecVirtual, sums []reg.VecVirtual) {
	p, slope := m.vector(), reg.VecVirtual(nil)
	m.VBROADCASTSS(operand.Mem{Base: c.p, Index: j, Scale: 1}, p)
	if m.moving {
		slope = m.vector()
		m.VBROADCASTSS(operand.Mem{Base: c.slope, Index: j, Scale: 1}, slope)
	}
	for v, sum := range sums {
		x := m.vector()
		m.VADDPS(p, events[v], x)
		if m.moving {
			m.VFMADD231PS(slope, c.moved[v], x)
		}
		m.VMAXPS(x, m.zero, x) // of two, one of them NaN, the second: x
		m.VFMADD231PS(x, weight, sum)
	}
}
