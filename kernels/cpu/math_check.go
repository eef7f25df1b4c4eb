package cpu

import "fmt"

// same panics unless all slices of a kernel have n elements.
func same(kernel string, n int, lengths ...int) {
	for _, l := range lengths {
		if l != n {
			wrongLength(kernel, l, n)
		}
	}
}

// rowsFit panics unless a slice holds rows of cols elements that lie stride
// apart.
func rowsFit(kernel string, length, rows, stride, cols int) {
	if rows == 0 {
		return
	}
	if need := (rows-1)*stride + cols; stride < cols || length < need {
		panic(fmt.Sprintf("cpu: %s: %d elements for %d rows of %d, %d apart", kernel, length, rows, cols, stride))
	}
}

// wrongLength is by itself so that checks stay small.
func wrongLength(kernel string, got, want int) {
	panic(fmt.Sprintf("cpu: %s: a slice of %d elements where the others ask for %d", kernel, got, want))
}
