package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of a comparison: equal, and greater; false where one is NaN.
const (
	isEqual   = 0x00
	isGreater = 0x1e
)

// countFunc writes the function that counts and stores no score.
func countFunc(ctx *build.Context, name string, s shape) {
	doc := []string{
		"It adds to greater and equal how many score above and level with truth, and",
		"leaves NaN in bad where a score is not finite. Steps are in bytes.",
	}
	pairsFunc(ctx, name, s, "truth *float32, greater, equal *int32, bad *float32", doc, (*pairs).count)
}

func (m *pairs) count(scores [][]reg.VecVirtual) {
	truth, greater, equal, bad := m.load("truth"), m.load("greater"), m.load("equal"), m.load("bad")
	minusOne := m.vector()
	if m.lanes == 16 {
		m.VPTERNLOGD(operand.U8(0xff), minusOne, minusOne, minusOne)
	}
	for v := range m.vectors {
		want, above, level, spoilt := m.vector(), m.vector(), m.vector(), m.vector()
		m.VMOVUPS(m.at(truth, v), want)
		m.VMOVUPS(m.at(greater, v), above)
		m.VMOVUPS(m.at(equal, v), level)
		m.VMOVUPS(m.at(bad, v), spoilt)
		for _, sums := range scores {
			m.increment(isGreater, sums[v], want, above, minusOne)
			m.increment(isEqual, sums[v], want, level, minusOne)
			m.VFMADD231PS(m.zero, sums[v], spoilt)
		}
		m.VMOVUPS(above, m.at(greater, v))
		m.VMOVUPS(level, m.at(equal, v))
		m.VMOVUPS(spoilt, m.at(bad, v))
	}
}

// increment adds one to the lanes of counter where the comparison holds.
func (m *pairs) increment(predicate uint8, a, b, counter, minusOne reg.VecVirtual) {
	if m.lanes == 16 {
		holds := m.K()
		m.VCMPPS(operand.U8(predicate), b, a, holds)
		m.VPSUBD(minusOne, counter, holds, counter)
		return
	}
	holds := m.YMM() // minus one in the lanes where it does
	m.VCMPPS(operand.U8(predicate), b, a, holds)
	m.VPSUBD(holds, counter, counter)
}

// scoresFunc writes the function that stores the scores.
func scoresFunc(ctx *build.Context, name string, s shape) {
	doc := []string{fmt.Sprintf("out has a row of %d for each candidate. Steps are in bytes.", s.events())}
	pairsFunc(ctx, name, s, "out *float32", doc, (*pairs).keep)
}

func (m *pairs) keep(scores [][]reg.VecVirtual) {
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
