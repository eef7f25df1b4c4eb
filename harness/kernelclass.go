package harness

import (
	"runtime"

	"dgsbench/kernels/cpu"
)

// KernelClass names the kernels as far as bits depend on them: AVX2 and
// AVX-512 agree bit for bit, and portable Go on one architecture with itself.
func KernelClass() string {
	if cpu.Best().Level() == cpu.Portable {
		return "portable on " + runtime.GOARCH
	}
	return "avx"
}
