package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// registers writes instructions for one width of registers.
type registers struct {
	*build.Context
	lanes int // float32 lanes of a register: 16 is AVX-512, 8 is AVX2, 4 half of that
}

// function begins a function; doc goes on after its name.
func (r registers) function(name, signature string, doc ...string) {
	r.Function(name)
	r.Attributes(attr.NOSPLIT)
	r.Pragma("noescape")
	if len(doc) > 0 {
		r.Doc(append([]string{name + " " + doc[0]}, doc[1:]...)...)
	}
	r.SignatureExpr(signature)
}

// leave ends it.
func (r registers) leave() {
	r.VZEROUPPER()
	r.RET()
}

func (r registers) wide() bool { return r.lanes == 16 }

// vec is a fresh register.
func (r registers) vec() V {
	switch r.lanes {
	case 16:
		return r.ZMM()
	case 8:
		return r.YMM()
	}
	return r.XMM()
}

// vecs are n of them.
func (r registers) vecs(n int) []V {
	out := make([]V, n)
	for i := range out {
		out[i] = r.vec()
	}
	return out
}

// fresh is a fresh register with the result of an instruction.
func (r registers) fresh(op func(...operand.Op), a operand.Op) V {
	d := r.vec()
	op(a, d)
	return d
}

// set is a register loaded from memory, and broadcast one with a number of the
// memory in every lane.
func (r registers) set(from operand.Mem) V      { return r.fresh(r.VMOVUPS, from) }
func (r registers) broadcast(from operand.Op) V { return r.fresh(r.VBROADCASTSS, from) }

func (r registers) zero() V {
	d := r.vec()
	r.VXORPS(d, d, d)
	return d
}

// minusOne has the integer -1 in every lane with AVX-512, which increment needs
// there.
func (r registers) minusOne() V {
	d := r.vec()
	if r.wide() {
		r.VPTERNLOGD(operand.U8(0xff), d, d, d)
	}
	return d
}

// increment adds one to the lanes of counter where the comparison holds.
func (r registers) increment(predicate operand.U8, a, b, counter, minusOne V) {
	if r.wide() {
		holds := r.K()
		r.VCMPPS(predicate, b, a, holds)
		r.VPSUBD(minusOne, counter, holds, counter)
		return
	}
	holds := r.YMM() // minus one in the lanes where it does
	r.VCMPPS(predicate, b, a, holds)
	r.VPSUBD(holds, counter, counter)
}

// load is a parameter that is a number or a pointer.
func (r registers) load(name string) reg.GPVirtual {
	to := r.GP64()
	r.Load(r.Param(name), to)
	return to
}

// at is the vector with number v behind base.
func (r registers) at(base reg.Register, v int) operand.Mem {
	return operand.Mem{Base: base, Disp: v * r.lanes * 4}
}

// masked reads the lanes of the mask, all if it is nil; others are zero.
func (r registers) masked(from operand.Mem, mask reg.Register, to V) {
	switch {
	case mask == nil:
		r.VMOVUPS(from, to)
	case r.wide():
		r.VMOVUPS_Z(from, mask, to)
	default:
		r.VMASKMOVPS(from, mask, to)
	}
}

// storeMasked writes the lanes of the mask, all if it is nil.
func (r registers) storeMasked(from V, mask reg.Register, to operand.Mem) {
	switch {
	case mask == nil:
		r.VMOVUPS(from, to)
	case r.wide():
		r.VMOVUPS(from, mask, to)
	default:
		r.VMASKMOVPS(from, mask, to)
	}
}

// firstLanes is an opmask of the first n lanes.
func (r registers) firstLanes(n reg.GPVirtual) reg.Register {
	ones, k := r.GP32(), r.K()
	r.MOVL(operand.I32(-1), ones)
	r.BZHIL(n.As32(), ones, ones)
	r.KMOVW(ones, k)
	return k
}

// maskTable is the masks of AVX2: sixteen lanes of ones, then sixteen of zeros.
func maskTable(ctx *build.Context, name string) operand.Mem {
	table := ctx.StaticGlobal(name)
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 32 {
		mask := operand.U32(0)
		if i < 16 {
			mask = math.MaxUint32
		}
		ctx.AddDatum(4*i, mask)
	}
	return table
}

// machine writes the kernels on slices.
type machine struct {
	registers
	constants *pool
	labels    int
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
func (m *machine) scalar(name string) V {
	p, err := m.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return m.broadcast(p.Addr)
}

// lanes are the elements that a loop is at: a register full, or fewer under
// a mask.
type lanes struct {
	m     *machine
	index reg.Register
	disp  int
	mask  reg.Register // lanes to read and write; nil: all
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
func (l lanes) load(base reg.Register) V {
	v := l.m.vec()
	l.m.masked(l.address(base), l.mask, v)
	return v
}

// store writes the elements of the array at base.
func (l lanes) store(base reg.Register, v V) {
	l.m.storeMasked(v, l.mask, l.address(base))
}

// span runs body over elements 0..n-1, a register at a time, the last one
// under a mask. It uses n up. Further index registers advance with it.
func (m *machine) span(n reg.Register, body func(lanes), further ...reg.Register) {
	m.loop(n, m.lanes, operand.U8(m.lanes), further, func(l lanes, rest reg.Register) {
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
	m.loop(n, 16, operand.U8(16), nil, func(l lanes, rest reg.Register) {
		for part := range 16 / m.lanes {
			l.disp = 4 * m.lanes * part
			if rest != nil {
				l.mask = m.mask(rest, l.disp)
			}
			body(part, l)
		}
	})
}

// loop runs body as long as there are width elements, of which it does step, and
// once, with their number, for those that are left if there are any.
func (m *machine) loop(n reg.Register, width int, step operand.Op, further []reg.Register, body func(l lanes, rest reg.Register)) {
	l := lanes{m: m, index: m.counter()}
	m.repeat(n, operand.U8(width), step, append([]reg.Register{l.index}, further...), func() { body(l, nil) })
	m.rest(n, func() { body(l, n) })
}

// counter is a register of zero.
func (m *machine) counter() reg.Register {
	i := m.GP64()
	m.XORQ(i, i)
	return i
}

// repeat runs body as long as n is at least width, each time with step less. The
// indices advance by step.
func (m *machine) repeat(n reg.Register, width, step operand.Op, indices []reg.Register, body func()) {
	full, rest := m.label("full"), m.label("rest")
	m.Label(full)
	m.CMPQ(n, width)
	m.JLT(operand.LabelRef(rest))
	body()
	for _, i := range indices {
		m.ADDQ(step, i)
	}
	m.SUBQ(step, n)
	m.JMP(operand.LabelRef(full))
	m.Label(rest)
}

// rest runs body unless n is zero.
func (m *machine) rest(n reg.Register, body func()) {
	done := m.label("done")
	m.TESTQ(n, n)
	m.JE(operand.LabelRef(done))
	body()
	m.Label(done)
}

// mask selects the first rest lanes of a group of sixteen, or of its second
// register, which starts disp bytes into it.
func (m *machine) mask(rest reg.Register, disp int) reg.Register {
	if m.wide() {
		return m.firstLanes(rest.(reg.GPVirtual))
	}
	table, offset, v := m.GP64(), m.GP64(), m.YMM()
	m.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol("masks"), 0), table)
	m.MOVQ(operand.U32(16), offset)
	m.SUBQ(rest, offset)
	m.VMOVUPS(operand.Mem{Base: table, Index: offset, Scale: 4, Disp: disp}, v)
	return v
}

// lineBytes is the width of the widest register and of a cache line.
const lineBytes = 64

// pool holds the constants of all kernels, each repeated over the widest
// register, so that instructions can take them from memory.
type pool struct {
	lines []any // uint32 or uint64, one a line
	index map[any]int
}

func newPool() *pool { return &pool{index: map[any]int{}} }

func (p *pool) address(v any) operand.Mem {
	i, ok := p.index[v]
	if !ok {
		i = len(p.lines)
		p.index[v] = i
		p.lines = append(p.lines, v)
	}
	return operand.NewDataAddr(operand.NewStaticSymbol("constants"), i*lineBytes)
}

// write emits the constants, and the masks of the last elements.
func (p *pool) write(ctx *build.Context) {
	ctx.StaticGlobal("constants")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, line := range p.lines {
		for at := i * lineBytes; at < (i+1)*lineBytes; {
			switch v := line.(type) {
			case uint32:
				ctx.AddDatum(at, operand.U32(v))
				at += 4
			case uint64:
				ctx.AddDatum(at, operand.U64(v))
				at += 8
			}
		}
	}
	maskTable(ctx, "masks")
}

// bits is a constant of 32 bits in every lane.
func (m *machine) bits(v uint32) operand.Mem { return m.constants.address(v) }

// c is a float32 constant in every lane.
func (m *machine) c(v float64) operand.Mem { return m.bits(math.Float32bits(float32(v))) }

// c64 is a float64 constant in every lane of a double-precision register.
func (m *machine) c64(v float64) operand.Mem { return m.constants.address(math.Float64bits(v)) }
