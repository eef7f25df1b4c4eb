//go:build amd64 && !purego

package cpu

// gemmKernels are the microkernels of one level. They keep rows rows of two
// (wide) or one (narrow) vectors of lanes columns of C in registers; few[m-1] does
// m rows at once.
type gemmKernels struct {
	rows, lanes  int
	wide, narrow func(a *float32, aRow, aCol uintptr, b *float32, bRow uintptr, c *float32, cRow uintptr,
		depth, tiles, rows, cols int, bias *float32, accumulate, relu bool)
	few []rowsKernel
}

// rowsKernel computes all rows of at most vectors vectors of columns of C.
type rowsKernel struct {
	vectors int
	run     func(a *float32, aRow, aCol uintptr, b *float32, bRow uintptr, c *float32, cRow uintptr, depth, rows, cols int, bias *float32, relu bool)
}

func (t *gemmKernels) gemm(g Gemm, scratch []float32) {
	if g.N == 1 && g.LDC == 1 && (g.M > 1 || g.TransB) {
		t.column(&g, scratch)
	} else {
		t.product(&g, scratch)
	}
}

func (t *gemmKernels) product(g *Gemm, scratch []float32) {
	if g.M <= len(t.few) && !g.TransB {
		t.fewRows(g)
	} else {
		t.panels(g, scratch)
	}
}

// column computes a single column as the row that it is in memory, by the
// transposed product: its elements then fill the lanes.
func (t *gemmKernels) column(g *Gemm, scratch []float32) {
	row := Gemm{
		M: 1, N: g.M, K: g.K, A: g.B, B: g.A, C: g.C, LDA: g.LDB, LDB: g.LDA, LDC: g.M,
		TransA: !g.TransB, TransB: !g.TransA,
	}
	t.product(&row, scratch)
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

// fewRows computes a product with few rows. It reads B once, as it lies, the columns
// evenly divided over as few calls as possible.
func (t *gemmKernels) fewRows(g *Gemm) {
	step, next := g.StepsA()
	kernel, vectors := t.few[g.M-1], (g.N+t.lanes-1)/t.lanes
	j := 0
	for calls := (vectors + kernel.vectors - 1) / kernel.vectors; calls > 0; calls-- {
		var a, b, bias *float32
		if g.K > 0 {
			a, b = &g.A[0], &g.B[j]
		}
		if g.Bias != nil {
			bias = &g.Bias[j]
		}
		share := (vectors + calls - 1) / calls
		cols := min(share*t.lanes, g.N-j)
		kernel.run(a, uintptr(step)*4, uintptr(next)*4, b, uintptr(g.LDB)*4, &g.C[j], uintptr(g.LDC)*4, g.K, g.M, cols, bias, g.ReLU)
		j, vectors = j+cols, vectors-share
	}
}

// panels goes through k in blocks of gemmDepth, through the rows in blocks of gemmRows, and
// through these in panels of two vectors of columns, so that the block of op(A) is read
// from a cache by all panels but the first. Between blocks of k the sums lie in C, which
// rounds nothing.
func (t *gemmKernels) panels(g *Gemm, scratch []float32) {
	for k := 0; k == 0 || k < g.K; k += gemmDepth {
		blocks := max(1, (g.M+gemmRows/2)/gemmRows)
		for row := 0; blocks > 0; blocks-- {
			rows := (g.M - row + blocks - 1) / blocks
			for j := 0; j < g.N; j += 2 * t.lanes {
				p := panel{gemmKernels: t, column: j, columns: min(2*t.lanes, g.N-j), first: row, count: rows, k: k}
				p.next(g, scratch)
				for end := min(k+gemmDepth, g.K); p.k+p.depth < end; {
					p.next(g, scratch)
				}
			}
			row += rows
		}
	}
}

// panel is a block of columns and rows of C, and the part of k that is added to it. (The
// product is a parameter of its methods: in the panel it would be allocated on
// the heap.)
type panel struct {
	*gemmKernels
	column, columns int
	first, count    int      // rows of C
	k, depth        int      // the block of k that is being added
	b               *float32 // its part of op(B), rows bRow elements apart
	bRow            int
}

// width is the number of columns that its microkernel reads.
func (p *panel) width() int {
	if p.columns > p.lanes {
		return 2 * p.lanes
	}
	return p.lanes
}

// next adds the next block of k, the rows evenly divided over as few tiles as
// possible.
func (p *panel) next(g *Gemm, scratch []float32) {
	p.k += p.depth
	p.locate(g, scratch)
	tiles := (p.count + p.rows - 1) / p.rows
	rows, higher := p.count/tiles, p.count%tiles
	if higher > 0 {
		p.tiles(g, p.first, higher, rows+1)
	}
	p.tiles(g, p.first+higher*(rows+1), tiles-higher, rows)
}

// tiles computes count tiles of C, one below another, each of the given number of rows.
func (p *panel) tiles(g *Gemm, row, count, rows int) {
	step, next := g.StepsA()
	var a, bias *float32
	if p.depth > 0 {
		a = &g.A[row*step+p.k*next]
	}
	last := p.k+p.depth == g.K
	if last && g.Bias != nil {
		bias = &g.Bias[p.column]
	}
	kernel := p.narrow
	if p.columns > p.lanes {
		kernel = p.wide
	}
	kernel(a, uintptr(step)*4, uintptr(next)*4, p.b, uintptr(p.bRow)*4, &g.C[row*g.LDC+p.column], uintptr(g.LDC)*4,
		p.depth, count, rows, p.columns, bias, p.k > 0, last && g.ReLU)
}

// packFrom is the number of rows of op(A) from which packing B pays: packed, it
// is read from few pages and whole cache lines. It pays sooner where A is
// transposed, as reading that takes pages, too.
const packFrom = 192

// locate sets the length of the block of k and where its part of op(B) can be
// read in whole vectors: in place or packed in scratch, if it is transposed or
// read by many rows. The last rows of a narrower one are packed, too, because
// nothing may be read beyond them; what is read beyond the others, of the next
// row, reaches only columns that are never stored.
func (p *panel) locate(g *Gemm, scratch []float32) {
	width := p.width()
	p.depth = min(gemmDepth-p.k%gemmDepth, g.K-p.k)
	p.b, p.bRow = &scratch[0], width
	switch {
	case p.depth == 0:
	case g.TransB:
		packTransposed(scratch, width, g.B[p.column*g.LDB+p.k:], g.LDB, p.depth, p.columns)
	case g.M >= packFrom || g.TransA && g.M >= packFrom/2 || len(g.B) < p.k*g.LDB+p.column+width:
		pack(scratch, width, g.B[p.k*g.LDB+p.column:], g.LDB, p.depth, p.columns)
	default:
		p.b, p.bRow = &g.B[p.k*g.LDB+p.column], g.LDB
		whole := (len(g.B)-p.column-width)/g.LDB + 1 // rows with width elements behind the column
		p.depth = min(p.depth, whole-p.k)
	}
}

// pack copies rows of cols elements to rows that are width apart. What lies
// between reaches only columns that are never stored.
func pack(dst []float32, width int, src []float32, ld, rows, cols int) {
	for i := range rows {
		copy(dst[i*width:][:cols], src[i*ld:])
	}
}

// packTransposed does the same with the transpose of cols rows of src. It may
// write up to the next multiple of eight columns.
func packTransposed(dst []float32, width int, src []float32, ld, rows, cols int) {
	if rows < 8 {
		for j := range cols {
			for i, v := range src[j*ld:][:rows] {
				dst[i*width+j] = v
			}
		}
		return
	}
	for j := 0; j < cols; j += 8 {
		packEight(dst[j:], width, src[j*ld:], ld, rows, min(8, cols-j))
	}
}

// packEight transposes at most eight rows of src. Rows that are missing are
// replaced by the last; elements behind the last eight by those eight again.
func packEight(dst []float32, width int, src []float32, ld, rows, cols int) {
	var first, last [8]*float32
	for i := range first {
		row := src[min(i, cols-1)*ld:]
		first[i], last[i] = &row[0], &row[rows-8]
	}
	transpose8(&dst[0], uintptr(width)*4, &first, rows/8)
	if rows%8 > 0 {
		transpose8(&dst[(rows-8)*width], uintptr(width)*4, &last, 1)
	}
}
