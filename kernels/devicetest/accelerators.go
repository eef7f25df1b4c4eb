//go:build gpu

package devicetest

import (
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cuda/cudatest"
)

// Accelerators are the devices beside the processor that the tests of
// whatever runs on devices use, by their names. A test is skipped if its
// device cannot be had.
var Accelerators = map[string]func(t testing.TB) kernels.Device{"cuda": cudatest.Device}
