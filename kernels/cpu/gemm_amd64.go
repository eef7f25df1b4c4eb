//go:build amd64 && !purego

package cpu

//go:generate go run ./internal/gen/gemm

// tileShape is the part of C that a microkernel keeps in registers: rows
// rows of one or two vectors of lanes columns.
type tileShape struct {
	rows, lanes int
}

var (
	tileAVX512 = tileShape{rows: 14, lanes: 16}
	tileAVX2   = tileShape{rows: 6, lanes: 8}
)

func tileOf(level Level) tileShape {
	if level == AVX2 {
		return tileAVX2
	}
	return tileAVX512
}

func gemm(level Level, g *Gemm, scratch []float32) {
	switch {
	case level == Portable:
		g.Run()
	case g.N == 1 && g.LDC == 1:
		gemmColumn(level, g, scratch)
	default:
		gemmRows(level, g, scratch)
	}
}

func gemmRows(level Level, g *Gemm, scratch []float32) {
	if g.M == 1 && !g.TransB {
		gemmRow(level, g)
	} else {
		gemmPanels(level, g, scratch)
	}
}

// gemmColumn computes a single column as the row that it is in memory, by
// the transposed product: its elements then fill the lanes.
func gemmColumn(level Level, g *Gemm, scratch []float32) {
	row := Gemm{
		M: 1, N: g.M, K: g.K, A: g.B, B: g.A, C: g.C, LDA: g.LDB, LDB: g.LDA, LDC: g.M,
		TransA: !g.TransB, TransB: !g.TransA, Accumulate: g.Accumulate,
	}
	gemmRows(level, &row, scratch)
	for i, v := range g.C[:g.M] {
		if g.Bias != nil {
			v += g.Bias[0]
		}
		if g.ReLU && v < 0 {
			v = 0
		}
		g.C[i] = v
	}
}

// gemmPanels goes through C in panels of two vectors of columns, and in each
// through k in blocks of gemmDepth. Between blocks the sums lie in C, which
// rounds nothing.
func gemmPanels(level Level, g *Gemm, scratch []float32) {
	tile := tileOf(level)
	for j := 0; j < g.N; j += 2 * tile.lanes {
		p := panel{g: g, level: level, tile: tile, column: j, columns: min(2*tile.lanes, g.N-j)}
		p.next(scratch)
		for p.k+p.depth < g.K {
			p.next(scratch)
		}
	}
}

// panel is a block of columns of C and the part of k that is added to it.
type panel struct {
	g               *Gemm
	level           Level
	tile            tileShape
	column, columns int
	k, depth        int      // the block of k that is being added
	b               *float32 // its part of op(B), rows bRow elements apart
	bRow            int
}

// width is the number of columns that its microkernel reads.
func (p *panel) width() int {
	if p.columns > p.tile.lanes {
		return 2 * p.tile.lanes
	}
	return p.tile.lanes
}

// next adds the next block of k, the rows evenly divided over as few tiles as
// possible.
func (p *panel) next(scratch []float32) {
	p.k += p.depth
	p.locate(scratch)
	tiles := (p.g.M + p.tile.rows - 1) / p.tile.rows
	for row := 0; tiles > 0; tiles-- {
		rows := (p.g.M - row + tiles - 1) / tiles
		p.runTile(row, rows)
		row += rows
	}
}

func (p *panel) runTile(row, rows int) {
	g := p.g
	step, next := g.LDA, 1
	if g.TransA {
		step, next = 1, g.LDA
	}
	var a, bias *float32
	if p.depth > 0 {
		a = &g.A[row*step+p.k*next]
	}
	last := p.k+p.depth == g.K
	if last && g.Bias != nil {
		bias = &g.Bias[p.column]
	}
	c := &g.C[row*g.LDC+p.column]
	aRow, aCol, bRow, cRow := uintptr(step)*4, uintptr(next)*4, uintptr(p.bRow)*4, uintptr(g.LDC)*4
	accumulate, relu := p.k > 0 || g.Accumulate, last && g.ReLU
	wide := p.columns > p.tile.lanes
	switch {
	case p.level == AVX512 && wide:
		gemmAVX512Wide(a, aRow, aCol, p.b, bRow, c, cRow, p.depth, rows, p.columns, bias, accumulate, relu)
	case p.level == AVX512:
		gemmAVX512Narrow(a, aRow, aCol, p.b, bRow, c, cRow, p.depth, rows, p.columns, bias, accumulate, relu)
	case wide:
		gemmAVX2Wide(a, aRow, aCol, p.b, bRow, c, cRow, p.depth, rows, p.columns, bias, accumulate, relu)
	default:
		gemmAVX2Narrow(a, aRow, aCol, p.b, bRow, c, cRow, p.depth, rows, p.columns, bias, accumulate, relu)
	}
}

// locate says how long the block of k is and where its part of op(B) can be
// read in whole vectors: where it lies or, if it is transposed, packed in
// scratch. Packed, too, are the last rows of a narrower one, behind which
// there is nothing to read; what is read behind the others, of the next row,
// reaches only columns that are never stored. (Packing for the sake of
// alignment is slower at every size of a model's layer.)
func (p *panel) locate(scratch []float32) {
	g, width := p.g, p.width()
	p.depth = min(gemmDepth, g.K-p.k)
	p.b, p.bRow = &scratch[0], width
	switch {
	case p.depth == 0:
	case g.TransB:
		packTransposed(scratch, width, g.B[p.column*g.LDB+p.k:], g.LDB, p.depth, p.columns)
	case len(g.B) < p.k*g.LDB+p.column+width:
		pack(scratch, width, g.B[p.k*g.LDB+p.column:], g.LDB, p.depth, p.columns)
	default:
		p.b, p.bRow = &g.B[p.k*g.LDB+p.column], g.LDB
		whole := (len(g.B)-p.column-width)/g.LDB + 1 // rows with width elements behind the column
		p.depth = min(p.depth, whole-p.k)
	}
}
