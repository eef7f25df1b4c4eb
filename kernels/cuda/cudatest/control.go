//go:build gpu

package cudatest

import (
	"testing"

	"github.com/ebitengine/purego"
)

// setOrder sets the order of threads on streams made from now on.
func setOrder(t testing.TB, library string, order int) {
	t.Helper()
	control(t, library, "fakecuda_order", uintptr(order))
}

// Renew gives the emulated card a new context. As on a real one, work that
// fails takes the old one with it: no call succeeds any more, and a program
// would have to be started again.
func Renew(t testing.TB, library string) {
	t.Helper()
	control(t, library, "fakecuda_renew")
}

// Graphs is how many graphs the emulated card has that were not given back.
func Graphs(t testing.TB, library string) int {
	t.Helper()
	return control(t, library, "fakecuda_graphs")
}

// Eager reports whether the emulated driver was told to load kernels at once.
func Eager(t testing.TB, library string) bool {
	t.Helper()
	return control(t, library, "fakecuda_eager") != 0
}

// control calls what the emulated card's library has beside the driver's
// functions.
func control(t testing.TB, library, name string, arguments ...uintptr) int {
	t.Helper()
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	function, err := purego.Dlsym(handle, name)
	if err != nil {
		t.Fatal(err)
	}
	result, _, _ := purego.SyscallN(function, arguments...)
	return int(int32(result))
}
