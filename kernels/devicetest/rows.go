package devicetest

var rowCases = []kernelCase{
	{"GatherRows", 1, func(b *bench, n int) { b.GatherRows(4, 7, n, b.normal(4*n), b.normal(7*n), b.list(6, 0, 3, 3)) }},
	{"GatherRows of many", 1, func(b *bench, n int) { b.GatherRows(n, 7, 3, b.normal(3*n), b.normal(7*3), b.rows(n, 7)) }},
	{"ScatterRows", 1, func(b *bench, n int) { b.ScatterRows(4, n, b.normal(7*n), b.normal(4*n), b.list(6, 0, 3, 3)) }},
	{"ScatterRows of many", 1, func(b *bench, n int) { b.ScatterRows(n, 3, b.normal(7*3), b.normal(3*n), b.rows(n, 7)) }},
	{"PutRows", 1, func(b *bench, n int) { b.PutRows(4, n, b.normal(7*n), b.normal(4*n), b.list(6, -1, 0, 3)) }},
	{"ScatterAddRows", 2, func(b *bench, n int) {
		b.ScatterAddRows(4, 7, n, b.normal(7*n), b.normal(4*n), b.list(6, 0, 3, 3))
	}},
	{"ScatterAddRows of many", 8, func(b *bench, n int) {
		b.ScatterAddRows(n, 7, 3, b.normal(7*3), b.normal(3*n), b.rows(n, 7))
	}},
	{"CopyRows", 1, func(b *bench, n int) { b.CopyRows(4, n, b.normal(4*(n+1)), n+1, b.normal(4*(n+2)), n+2) }},
	{"CopyRows that ends with its rows", 1, func(b *bench, n int) {
		b.CopyRows(4, n, b.normal(4*n), n, b.normal(3*(n+2)+n), n+2)
	}},
	{"ScaleRows", 1, func(b *bench, n int) {
		b.ScaleRows(testRows, n, b.normal(testRows*n), b.normal(testRows*n), b.normal(testRows))
	}},
}

// Times are of the size of real ones after scaling; the encoding rounds its
// argument before the cosine.
var recurrentCases = []kernelCase{
	{"GRUCell", 1, func(b *bench, n int) {
		size := testRows * n
		b.GRUCell(testRows, n, b.normal(size), b.normal(3*size), b.normal(3*size), b.normal(3*size), b.normal(size))
	}},
	{"GRUCellGrad", 2, func(b *bench, n int) {
		size := testRows * n
		b.GRUCellGrad(testRows, n, b.normal(3*size), b.normal(3*size), b.normal(size), b.normal(size), b.positive(3*size), b.normal(3*size), b.normal(size))
	}},
	{"TimeEncode", 4, func(b *bench, n int) {
		b.TimeEncode(testRows, n, b.normal(testRows*n), b.normal(testRows), b.normal(n), b.normal(n))
	}},
	{"TimeEncodeGrad", 8, func(b *bench, n int) {
		b.TimeEncodeGrad(testRows, n, b.normal(n), b.normal(n), b.normal(testRows*n), b.normal(testRows), b.normal(n), b.normal(n))
	}},
	{"TimeEncodeGrad of many", 16, func(b *bench, n int) {
		b.TimeEncodeGrad(n, 3, b.normal(3), b.normal(3), b.normal(3*n), b.normal(n), b.normal(3), b.normal(3))
	}},
	{"TimeProject", 4, func(b *bench, n int) {
		b.TimeProject(testRows, n, b.normal(testRows*n), b.normal(testRows*n), b.normal(testRows), b.normal(n), b.normal(n))
	}},
	{"TimeProjectGrad", 8, func(b *bench, n int) {
		b.TimeProjectGrad(testRows, n, b.normal(testRows*n), b.normal(n), b.normal(n), b.normal(testRows*n), b.normal(testRows*n),
			b.normal(testRows), b.normal(n), b.normal(n))
	}},
}
