package harness

import (
	"cmp"

	"dgsbench/kernels/devices"
)

// Workers is how many trials are trained side by side: as many as were asked
// for, or where that is 0 as many as the target can keep busy. Each has a device
// of its own, and a core that keeps it busy.
func Workers(asked int, on devices.Target) int { return cmp.Or(max(asked, 0), on.Workers()) }
