//go:build !gpu

package devices_test

import (
	"testing"

	"dgsbench/kernels/devices"
)

func TestNoCUDA(t *testing.T) {
	const want = "this build has no CUDA: build with -tags gpu"
	if _, err := devices.Find("cuda:1"); err == nil || err.Error() != want {
		t.Errorf("%v, expected %s", err, want)
	}
}
