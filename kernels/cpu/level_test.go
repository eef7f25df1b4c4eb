package cpu_test

import (
	"runtime"
	"strings"
	"testing"

	"dgsbench/kernels/cpu"
)

// TestClass: all vector levels are of one class, and portable Go of one for
// each architecture. Devices bear their class as their name.
func TestClass(t *testing.T) {
	for _, k := range cpu.Available() {
		class := k.Class()
		isRight := class == "cpu/vector"
		if k.Level() == cpu.Portable {
			isRight = strings.HasPrefix(class, "cpu/portable-"+runtime.GOARCH)
		}
		if name := cpu.NewDevice(k, 1).Name(); !isRight || name != class {
			t.Errorf("%s: class %s, device %s", k.Level(), class, name)
		}
	}
}
