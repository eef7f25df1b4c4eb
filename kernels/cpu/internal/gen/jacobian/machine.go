package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// group says how a group of lanes is worked off: in registers of so many.
type group struct {
	name            string
	lanes, register int
}

// vectors is the number of registers that hold a row of the group.
func (g group) vectors() int { return g.lanes / g.register }

// machine writes the functions for one kind of group and of numbers.
type machine struct {
	*build.Context
	group
	half bool // Jacobians hold bfloat16 numbers
}

// start begins the function of this name. doc goes on after it, and the last
// of the arguments is of the Jacobian's numbers.
func (m *machine) start(name, arguments string, doc ...string) {
	number := "float32"
	if m.half {
		name, number = name+"Half", "uint16"
	}
	name += m.name
	arguments += " *" + number + ", lanes *int32, groups, features int"
	doc[0] = name + " " + doc[0]
	m.Function(name)
	m.Attributes(attr.NOSPLIT)
	m.Pragma("noescape")
	m.Doc(doc...)
	m.SignatureExpr("func(" + arguments + ")")
}

// size is the number of bytes of a number of a Jacobian.
func (m *machine) size() int {
	if m.half {
		return 2
	}
	return 4
}

func (m *machine) load(name string) reg.GPVirtual {
	r := m.GP64()
	m.Load(m.Param(name), r)
	return r
}

// vector is a fresh register.
func (m *machine) vector() reg.VecVirtual {
	switch m.register {
	case 16:
		return m.ZMM()
	case 8:
		return m.YMM()
	}
	return m.XMM()
}

// row has a register for each vector of a row.
func (m *machine) row() []reg.VecVirtual {
	row := make([]reg.VecVirtual, m.vectors())
	for v := range row {
		row[v] = m.vector()
	}
	return row
}

// at is vector v of the row at base.
func (m *machine) at(base reg.Register, v int) operand.Mem {
	return operand.Mem{Base: base, Disp: v * m.register * 4}
}

// stored is vector v of the row of a Jacobian at base.
func (m *machine) stored(base reg.Register, v int) operand.Mem {
	return operand.Mem{Base: base, Disp: v * m.register * m.size()}
}

// gather loads the numbers of a row that belong to the group's lanes.
func (m *machine) gather(numbers, lanes reg.Register, to []reg.VecVirtual) {
	for v, r := range to {
		at := m.vector()
		m.VMOVUPS(m.at(lanes, v), at)
		from := operand.Mem{Base: numbers, Index: at, Scale: 4}
		if m.register == 16 {
			all := m.K()
			m.KXNORW(all, all, all)
			m.VGATHERDPS(from, all, r)
			continue
		}
		all := m.vector()
		m.VPCMPEQD(all, all, all)
		m.VGATHERDPS(all, from, r)
	}
}
