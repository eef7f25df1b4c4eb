package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// machine writes instructions for one register width.
type machine struct {
	*build.Context
	lanes int // float32 lanes of a register: 8 is AVX2, 16 is AVX-512
	masks operand.Mem
}

// maskTable holds eight ones, then eight zeros: the masks of AVX2.
func maskTable(ctx *build.Context) operand.Mem {
	table := ctx.StaticGlobal("histogramMasks")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		mask := operand.U32(0)
		if i < 8 {
			mask = math.MaxUint32
		}
		ctx.AddDatum(4*i, mask)
	}
	return table
}

func (m *machine) wide() bool { return m.lanes == 16 }

// vector is a fresh register.
func (m *machine) vector() reg.VecVirtual {
	if m.wide() {
		return m.ZMM()
	}
	return m.YMM()
}

// data and size are the pointer and the length of a slice parameter, number
// any other parameter.
func (m *machine) data(name string) reg.GPVirtual {
	return m.Load(m.Param(name).Base(), m.GP64()).(reg.GPVirtual)
}

func (m *machine) size(name string) reg.GPVirtual {
	return m.Load(m.Param(name).Len(), m.GP64()).(reg.GPVirtual)
}

func (m *machine) number(name string) reg.GPVirtual {
	return m.Load(m.Param(name), m.GP64()).(reg.GPVirtual)
}

// scalar is a float32 parameter in every lane.
func (m *machine) scalar(name string) reg.VecVirtual {
	p, err := m.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := m.vector()
	m.VBROADCASTSS(p.Addr, v)
	return v
}

// mask selects the first rest lanes of a register; rest is 1 to lanes.
func (m *machine) mask(rest reg.GPVirtual) reg.Register {
	if m.wide() {
		ones, k := m.GP32(), m.K()
		m.MOVL(operand.I32(-1), ones)
		m.BZHIL(rest.As32(), ones, ones)
		m.KMOVW(ones, k)
		return k
	}
	table, v := m.GP64(), m.YMM()
	m.LEAQ(m.masks.Offset(4*m.lanes), table)
	offset := m.GP64()
	m.MOVQ(rest, offset)
	m.NEGQ(offset)
	m.VMOVUPS(operand.Mem{Base: table, Index: offset, Scale: 4}, v)
	return v
}

// load reads the lanes of the mask, all if it is nil; others are zero.
func (m *machine) load(from operand.Mem, mask reg.Register) reg.VecVirtual {
	v := m.vector()
	switch {
	case mask == nil:
		m.VMOVUPS(from, v)
	case m.wide():
		m.VMOVUPS_Z(from, mask, v)
	default:
		m.VMASKMOVPS(from, mask, v)
	}
	return v
}

// store writes the lanes of the mask, all if it is nil.
func (m *machine) store(v reg.VecVirtual, to operand.Mem, mask reg.Register) {
	switch {
	case mask == nil:
		m.VMOVUPS(v, to)
	case m.wide():
		m.VMOVUPS(v, mask, to)
	default:
		m.VMASKMOVPS(v, mask, to)
	}
}

// span runs body over n elements, a register at a time, the last one under a
// mask. at is the address of the present ones in the array at base.
func (m *machine) span(n reg.GPVirtual, body func(at func(base reg.Register) operand.Mem, mask reg.Register)) {
	i := m.GP64()
	at := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: i, Scale: 4} }
	m.XORQ(i, i)
	m.Label("full")
	m.CMPQ(n, operand.U8(m.lanes))
	m.JLT(operand.LabelRef("rest"))
	body(at, nil)
	m.ADDQ(operand.U8(m.lanes), i)
	m.SUBQ(operand.U8(m.lanes), n)
	m.JMP(operand.LabelRef("full"))
	m.Label("rest")
	m.TESTQ(n, n)
	m.JE(operand.LabelRef("done"))
	body(at, m.mask(n))
	m.Label("done")
	m.VZEROUPPER()
	m.RET()
}
