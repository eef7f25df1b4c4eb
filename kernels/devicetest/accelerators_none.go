//go:build !gpu

package devicetest

import (
	"testing"

	"dgsbench/kernels"
)

// Accelerators are the devices beside the processor that the tests of
// whatever runs on devices use: none without the build tag gpu.
var Accelerators map[string]func(t testing.TB) kernels.Device
