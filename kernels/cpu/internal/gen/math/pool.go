package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// lineBytes is the width of the widest register.
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

// write emits the constants, and the masks of the last elements: sixteen
// lanes of ones, then sixteen of zeros.
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
	ctx.StaticGlobal("masks")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 32 {
		mask := operand.U32(0)
		if i < 16 {
			mask = math.MaxUint32
		}
		ctx.AddDatum(4*i, mask)
	}
}

// bits is a constant of 32 bits in every lane.
func (m *machine) bits(v uint32) operand.Mem { return m.constants.address(v) }

// c is a float32 constant in every lane.
func (m *machine) c(v float64) operand.Mem { return m.bits(math.Float32bits(float32(v))) }

// c64 is a float64 constant in every lane of a double-precision register.
func (m *machine) c64(v float64) operand.Mem { return m.constants.address(math.Float64bits(v)) }
