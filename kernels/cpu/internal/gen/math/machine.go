package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// machine writes instructions for one register width.
type machine struct {
	*build.Context
	lanes     int // float32 lanes of a register: 8 is AVX2, 16 is AVX-512
	constants *pool
	labels    int
}

// widths are those that every kernel is written for.
var widths = []int{8, 16}

func (m *machine) wide() bool { return m.lanes == 16 }

// suffix is how the names of the functions of a width end.
func suffix(lanes int) string {
	if lanes == 16 {
		return "AVX512"
	}
	return "AVX2"
}

// vec is a fresh register.
func (m *machine) vec() reg.VecVirtual {
	if m.wide() {
		return m.ZMM()
	}
	return m.YMM()
}

// label is a name that no other label of the function has.
func (m *machine) label(name string) string {
	m.labels++
	return fmt.Sprintf("%s%d", name, m.labels)
}

// data and size are the pointer and the length of a slice parameter.
func (m *machine) data(name string) reg.Register {
	return m.Load(m.Param(name).Base(), m.GP64())
}

func (m *machine) size(name string) reg.Register {
	return m.Load(m.Param(name).Len(), m.GP64())
}

// scalar is a float32 parameter in every lane.
func (m *machine) scalar(name string) reg.VecVirtual {
	p, err := m.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := m.vec()
	m.VBROADCASTSS(p.Addr, v)
	return v
}

// lanes are the elements that a loop is at: a register full, or fewer under
// a mask.
type lanes struct {
	m     *machine
	index reg.Register
	disp  int
	mask  reg.Register // lanes to read and write; nil: all
	keep  condition    // lanes to change, where all can be read; nil: all
}

func (l lanes) address(base reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: l.index, Scale: 4, Disp: l.disp}
}

// at is the same elements counted from another index.
func (l lanes) at(index reg.Register) lanes {
	l.index = index
	return l
}

// load reads the elements of the array at base; lanes outside the mask are 0.
func (l lanes) load(base reg.Register) reg.VecVirtual {
	v := l.m.vec()
	switch {
	case l.mask == nil:
		l.m.VMOVUPS(l.address(base), v)
	case l.m.wide():
		l.m.VMOVUPS_Z(l.address(base), l.mask, v)
	default:
		l.m.VMASKMOVPS(l.address(base), l.mask, v)
	}
	return v
}

// store writes the elements of the array at base.
func (l lanes) store(base reg.Register, v reg.VecVirtual) {
	switch {
	case l.keep != nil:
		old := l.m.set(l.address(base))
		l.m.VMOVUPS(l.m.choose(l.keep, v, old), l.address(base))
	case l.mask == nil:
		l.m.VMOVUPS(v, l.address(base))
	case l.m.wide():
		l.m.VMOVUPS(v, l.mask, l.address(base))
	default:
		l.m.VMASKMOVPS(v, l.mask, l.address(base))
	}
}

// span runs body over elements 0..n-1, a register at a time, the last one
// under a mask. It uses n up. Further index registers advance with it.
func (m *machine) span(n reg.Register, body func(lanes), further ...reg.Register) {
	m.loop(n, m.lanes, further, func(l lanes, rest reg.Register) {
		if rest != nil {
			l.mask = m.mask(rest, 0)
		}
		body(l)
	})
}

// groups runs body over elements 0..n-1 in groups of sixteen: once a group
// with one register of sixteen lanes, twice with two of eight. part is the
// number of the register within the group.
func (m *machine) groups(n reg.Register, body func(part int, l lanes)) {
	m.loop(n, 16, nil, func(l lanes, rest reg.Register) {
		for part := range 16 / m.lanes {
			l.disp = 4 * m.lanes * part
			if rest != nil {
				l.mask = m.mask(rest, l.disp)
			}
			body(part, l)
		}
	})
}

// loop runs body for each full step and, with the number of elements that
// are left, once for the rest if there is one.
func (m *machine) loop(n reg.Register, step int, further []reg.Register, body func(l lanes, rest reg.Register)) {
	full, rest, done := m.label("full"), m.label("rest"), m.label("done")
	i := m.GP64()
	m.XORQ(i, i)
	m.Label(full)
	m.CMPQ(n, operand.U8(step))
	m.JLT(operand.LabelRef(rest))
	body(lanes{m: m, index: i}, nil)
	for _, r := range append([]reg.Register{i}, further...) {
		m.ADDQ(operand.U8(step), r)
	}
	m.SUBQ(operand.U8(step), n)
	m.JMP(operand.LabelRef(full))
	m.Label(rest)
	m.TESTQ(n, n)
	m.JE(operand.LabelRef(done))
	body(lanes{m: m, index: i}, n)
	m.Label(done)
}

// mask selects the first rest lanes of a group of sixteen, or of its second
// register, which starts disp bytes into it.
func (m *machine) mask(rest reg.Register, disp int) reg.Register {
	if m.wide() {
		ones, k := m.GP32(), m.K()
		m.MOVL(operand.I32(-1), ones)
		m.BZHIL(rest.(reg.GPVirtual).As32(), ones, ones)
		m.KMOVW(ones, k)
		return k
	}
	table, offset, v := m.GP64(), m.GP64(), m.YMM()
	m.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol("masks"), 0), table)
	m.MOVQ(operand.U32(16), offset)
	m.SUBQ(rest, offset)
	m.VMOVUPS(operand.Mem{Base: table, Index: offset, Scale: 4, Disp: disp}, v)
	return v
}
