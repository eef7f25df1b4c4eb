package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rankKernels are those of rankings, for candidates that stay and that move.
func rankKernels(ctx *build.Context) {
	for _, moving := range []bool{false, true} {
		kind := ""
		if moving {
			kind = "Moving"
		}
		for vectors := 1; vectors <= 4; vectors++ {
			pairsFunc(ctx, fmt.Sprintf("rankCount%sAVX512x%d", kind, vectors), pairShape{16, vectors, moving}, counting)
		}
		pairsFunc(ctx, "rankCount"+kind+"AVX2", pairShape{8, 2, moving}, counting)
		pairsFunc(ctx, "rankScores"+kind+"AVX512", pairShape{16, 1, moving}, storing)
		pairsFunc(ctx, "rankScores"+kind+"AVX2", pairShape{8, 2, moving}, storing)
	}
}

// blockEvents is the number of events in a block of U, which holds dim rows
// of them.
const blockEvents = 16

// pairs writes the loop over pairs of events and candidates. Lanes are
// events; a candidate's elements are broadcast. So each score is one sum in
// order, whichever lane and group it is in.
type pairs struct {
	registers
	pairShape

	u, w, rows, n  reg.GPVirtual
	block1, block3 reg.GPVirtual // one and three blocks of U, in bytes
	zeros          V
}

// pairShape is what tells the functions apart.
type pairShape struct {
	width, vectors int  // lanes of a vector; vectors of events
	moving         bool // candidates move with time
}

func (s pairShape) events() int { return s.width * s.vectors }

// group is the number of candidates that share the loads of U. Those that
// move take twice the registers.
func (s pairShape) group() int {
	if s.moving {
		return 2
	}
	return 4
}

func (s pairShape) doc() []string {
	events := fmt.Sprintf("for %d events, the lanes.", s.events())
	if s.moving {
		return []string{"scores n candidates, rows of p + (time of event + time of node) slope,", events}
	}
	return []string{"scores n candidates, rows of p, " + events}
}

// arguments of all functions, and of those with moving candidates.
const (
	pairArguments   = "u *float32, uBlock uintptr, p *float32, pRow uintptr, w *float32, dim int, rows *int32, n int"
	movingArguments = ", slope, eventTime, nodeTime *float32"
)

// tail is what a function does with the scores of one to group candidates in
// registers, scores[candidate][vector].
type tail struct {
	arguments string
	doc       []string
	write     func(m *pairs, scores [][]V)
}

// counting stores no score, storing does.
var (
	counting = tail{"truth *float32, greater, equal *int32, bad *float32", []string{
		"It adds to greater and equal how many score above and level with truth, and",
		"leaves NaN in bad where a score is not finite. Steps are in bytes.",
	}, (*pairs).count}
	storing = tail{"out *float32", []string{
		fmt.Sprintf("out has a row of %d for each candidate. Steps are in bytes.", blockEvents),
	}, (*pairs).store}
)

func pairsFunc(ctx *build.Context, name string, s pairShape, t tail) {
	arguments := pairArguments
	if s.moving {
		arguments += movingArguments
	}
	m := &pairs{registers: registers{ctx, s.width}, pairShape: s}
	m.function(name, fmt.Sprintf("func(%s, %s)", arguments, t.arguments), append(s.doc(), t.doc...)...)
	m.arguments()

	ctx.Label("groups")
	ctx.CMPQ(m.n, operand.Imm(uint64(s.group())))
	ctx.JLT(operand.LabelRef("singles"))
	m.candidates(s.group(), t)
	ctx.JMP(operand.LabelRef("groups"))
	ctx.Label("singles")
	ctx.TESTQ(m.n, m.n)
	ctx.JE(operand.LabelRef("done"))
	m.candidates(1, t)
	ctx.JMP(operand.LabelRef("singles"))
	ctx.Label("done")
	m.leave()
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
	m.zeros = m.zero()
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
	moved    []V
}

// candidates scores the next count candidates and gives them to the tail.
func (m *pairs) candidates(count int, t tail) {
	group := make([]candidate, count)
	for c := range group {
		group[c] = m.candidate(c)
	}
	m.ADDQ(operand.Imm(uint64(count*4)), m.rows)
	m.SUBQ(operand.Imm(uint64(count)), m.n)

	scores := make([][]V, count)
	for c := range scores {
		for range m.vectors {
			scores[c] = append(scores[c], m.zero())
		}
	}
	m.dimensions(group, scores)
	t.write(m, scores)
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
func (m *pairs) moved(node reg.GPVirtual) []V {
	nodes, events := m.load("nodeTime"), m.load("eventTime")
	time := m.broadcast(operand.Mem{Base: nodes, Index: node, Scale: 4})
	out := make([]V, m.vectors)
	for v := range out {
		out[v] = m.vec()
		m.VADDPS(m.at(events, v), time, out[v])
	}
	return out
}

// dimensions adds w_j relu(u_j + p_j) to the scores for every j.
func (m *pairs) dimensions(group []candidate, scores [][]V) {
	loop, done := fmt.Sprintf("dimension%d", len(scores)), fmt.Sprintf("scored%d", len(scores))
	u, j := m.GP64(), m.load("dim")
	m.MOVQ(m.u, u)
	m.NEGQ(j)
	m.SHLQ(operand.U8(2), j)
	m.JE(operand.LabelRef(done))
	m.Label(loop)
	events := make([]V, m.vectors)
	for v := range events {
		events[v] = m.set(m.rowOf(u, v))
	}
	weight := m.broadcast(operand.Mem{Base: m.w, Index: j, Scale: 1})
	for c, sums := range scores {
		m.dimension(group[c], j, events, weight, sums)
	}
	m.ADDQ(operand.Imm(blockEvents*4), u)
	m.ADDQ(operand.Imm(4), j)
	m.JNE(operand.LabelRef(loop))
	m.Label(done)
}

// dimension adds that of one candidate.
func (m *pairs) dimension(c candidate, j reg.GPVirtual, events []V, weight V, sums []V) {
	p, slope := m.broadcast(operand.Mem{Base: c.p, Index: j, Scale: 1}), V(nil)
	if m.moving {
		slope = m.broadcast(operand.Mem{Base: c.slope, Index: j, Scale: 1})
	}
	for v, sum := range sums {
		x := m.vec()
		m.VADDPS(p, events[v], x)
		if m.moving {
			m.VFMADD231PS(slope, c.moved[v], x)
		}
		m.VMAXPS(x, m.zeros, x) // of two, one of them NaN, the second: x
		m.VFMADD231PS(x, weight, sum)
	}
}

func (m *pairs) count(scores [][]V) {
	truth, greater, equal, notFinite := m.load("truth"), m.load("greater"), m.load("equal"), m.load("bad")
	minusOne := m.minusOne()
	for v := range m.vectors {
		want, above, level, bad := m.set(m.at(truth, v)), m.set(m.at(greater, v)), m.set(m.at(equal, v)), m.set(m.at(notFinite, v))
		for _, sums := range scores {
			m.increment(greaterThan, sums[v], want, above, minusOne)
			m.increment(equalTo, sums[v], want, level, minusOne)
			m.VFMADD231PS(m.zeros, sums[v], bad)
		}
		m.VMOVUPS(above, m.at(greater, v))
		m.VMOVUPS(level, m.at(equal, v))
		m.VMOVUPS(bad, m.at(notFinite, v))
	}
}

func (m *pairs) store(scores [][]V) {
	out := m.load("out")
	for c, sums := range scores {
		for v, sum := range sums {
			m.VMOVUPS(sum, m.at(out, c*m.vectors+v))
		}
	}
	// The next group finds where it starts in the argument itself.
	m.ADDQ(operand.I32(int32(len(scores)*m.vectors*m.lanes*4)), out)
	m.Store(out, m.Param("out"))
}
