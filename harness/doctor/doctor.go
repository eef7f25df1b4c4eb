package doctor

import (
	"runtime"
	"time"

	"dgsbench/harness"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devices"
)

// Report is what the machine can do. Rates are the best of several short
// runs: other load on the machine lowers them.
type Report struct {
	Machine string `json:"machine"` // processor, cores, system, Go
	Vector  string `json:"vector"`  // instruction set that the kernels use
	Cores   int    `json:"cores"`   // that the program may use

	// Peak is the rate of fused multiply-adds in GFLOP/s (one is two
	// operations), as reached by sgemm on operands in the first-level cache.
	Peak Rate `json:"fma_peak_gflops"`
	// Copy is the rate of copying memory outside the caches in GB/s, every
	// byte counted once though it is read and written.
	Copy Rate `json:"memory_copy_gb_per_s"`
	// Gemm is the rate of sgemm in GFLOP/s, 200x172 by 172x100.
	Gemm Rate `json:"sgemm_200x172x100_gflops"`

	GPU string `json:"gpu"`
}

// Rate is a rate on one core and on all together.
type Rate struct {
	OneCore  float64 `json:"one_core"`
	AllCores float64 `json:"all_cores"`
}

// effort says how long to measure.
type effort struct {
	runs      int // the best counts
	length    time.Duration
	copyBytes int // a core's share of the memory that is copied
}

// Measure takes about three seconds and 128 MiB a core. Its runs are as short
// as the turns that a busy system gives, so that some are not interrupted.
func Measure() Report {
	return measure(effort{runs: 100, length: 3 * time.Millisecond, copyBytes: 64 << 20})
}

func measure(e effort) Report {
	cores := runtime.GOMAXPROCS(0)
	// 168 rows fill the register tiles of every level, and 32 columns are
	// a whole panel; 128 deep, it fits the cache.
	peak, model := product(168, 32, 128).on(cores), product(200, 100, 172).on(cores)
	memory := copying(e.copyBytes).on(cores)
	for range e.runs { // in turns, so that load elsewhere meets them all
		peak.run(e.length)
		memory.run(e.length)
		model.run(e.length)
	}
	return Report{
		Machine: harness.Machine(devices.Target{}), Vector: cpu.Best().Level().String(), Cores: cores,
		Peak: peak.best, Copy: memory.best, Gemm: model.best,
		GPU: "none: this build has no GPU support",
	}
}
