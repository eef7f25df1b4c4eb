package cpu

// A packing tells a kernel how to hold whole blocks of at most a register in
// its lanes. Row 0 marks the lanes that belong to a block, row 1 names the
// first lane of a lane's block. A pair of rows follows for each step of the
// sum over a block, 8, 4, 2 and 1 lanes apart: the lane to join with, and
// whether the block has it.
type packing struct {
	rows [10][16]uint32
	step int // elements of the blocks in a register
}

// Packings of registers with 8 and with 16 lanes, by the size of a block.
var (
	packed8  = newPackings(8)
	packed16 = newPackings(16)
)

func newPackings(lanes int) []packing {
	all := make([]packing, lanes+1)
	for h := 1; h <= lanes; h++ {
		all[h].step = lanes / h * h
		for lane := range lanes {
			all[h].fill(lane, h)
		}
	}
	return all
}

func (p *packing) fill(lane, h int) {
	const yes = ^uint32(0)
	used, position := lane < p.step, lane%h
	p.rows[1][lane] = uint32(lane)
	if used {
		p.rows[0][lane] = yes
		p.rows[1][lane] = uint32(lane - position)
	}
	for i, distance := range []int{8, 4, 2, 1} {
		join, live := &p.rows[2+2*i][lane], &p.rows[3+2*i][lane]
		*join = uint32(lane)
		if used && position+distance < h {
			*join, *live = uint32(lane+distance), yes
		}
	}
}
