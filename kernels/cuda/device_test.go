//go:build gpu

package cuda_test

import (
	"testing"

	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/devicetest"
)

func TestConformance(t *testing.T) { devicetest.Run(t, 1e-6, cudatest.Devices(t)...) }
