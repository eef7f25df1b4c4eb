//go:build amd64 && !purego

package cpu

// pack copies rows of cols elements to rows that are width apart. What lies
// between is left as it is: it reaches only columns that are never stored.
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
