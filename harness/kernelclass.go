package harness

import (
	"runtime"

	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devices"
)

// KernelClass names the kernels as far as bits depend on them: AVX2 and
// AVX-512 agree bit for bit, and portable Go on one architecture with itself.
func KernelClass(on devices.Target) string {
	if on.Name() != devices.CPU {
		return on.Name()
	}
	if cpu.Best().Level() == cpu.Portable {
		return "portable on " + runtime.GOARCH
	}
	return "avx"
}
