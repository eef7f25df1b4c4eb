//go:build gpu && cu

// Package start starts the driver that a program with the tags gpu and cu is
// linked with; with other tags it is empty.
package start

// #cgo LDFLAGS: -lcuda
// #include <cuda.h>
// #include <stdlib.h>
//
// // Newer drivers put loading a kernel off until it is launched first, which
// // would be while a stream is captured, or a clock runs.
// static void eager(void) { setenv("CUDA_MODULE_LOADING", "EAGER", 0); }
import "C"

import (
	"cmp"
	"fmt"
	"os"
)

// init comes before that of gorgonia.org/cu, since packages are initialised
// in the order of their paths. Without a card that one would end the program
// too, with a number instead of a reason.
func init() {
	C.eager()
	result := int(C.cuInit(0))
	if result == 0 {
		return
	}
	name, text := Describe(result)
	fmt.Fprintf(os.Stderr, "no usable CUDA device: cuInit: error %d of the CUDA driver, %s: %s\n", result, name, text)
	fmt.Fprintln(os.Stderr, "A build with the tags gpu and cu starts only where there is a card; build with -tags gpu for one that starts everywhere.")
	os.Exit(2)
}

// Describe is the name of an error of the driver, and what it means. What the
// driver does not know is "?".
func Describe(result int) (name, text string) {
	var n, t *C.char
	C.cuGetErrorName(C.CUresult(result), &n)
	C.cuGetErrorString(C.CUresult(result), &t)
	return cmp.Or(C.GoString(n), "?"), cmp.Or(C.GoString(t), "?")
}
