package harness

import (
	"runtime"

	"dgsbench/kernels/devices"
)

// cardQueues is how many streams a card works off at the same time: CUDA has
// as many connections to it, and the work of further streams waits for that of
// others (CUDA_DEVICE_MAX_CONNECTIONS).
const cardQueues = 8

// Workers is how many trials are trained side by side: as many as were asked
// for; where that is 0, one a core, and on a card no more than it has queues.
// Each has a device of its own, and a core that keeps it busy.
func Workers(asked int, on devices.Target) int {
	switch {
	case asked > 0:
		return asked
	case on.IsCard():
		return min(runtime.NumCPU(), cardQueues)
	}
	return runtime.NumCPU()
}
