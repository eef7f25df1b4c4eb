//go:build gpu

package devices_test

import (
	"errors"
	"strings"
	"testing"

	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/cuda/driver"
	"dgsbench/kernels/devices"
)

func TestCard(t *testing.T) {
	t.Setenv(devices.LibraryVariable, cudatest.Library(t))
	target, err := devices.Find("cuda")
	if err != nil {
		t.Fatal(err)
	}
	d, err := target.New(3)
	if err != nil || d.Name() != "cuda" || target.Name() != "cuda" || !strings.Contains(target.Level(), ", CUDA ") {
		t.Errorf("%s, %s, error %v", target.Name(), target.Level(), err)
	}
	if _, err := devices.Find("cuda:99"); !errors.Is(err, driver.ErrNoGPU) {
		t.Errorf("card 99: %v", err)
	}
}

func TestNoDriver(t *testing.T) {
	t.Setenv(devices.LibraryVariable, "libcuda-that-is-not-there.so")
	if _, err := devices.Find("cuda"); !errors.Is(err, driver.ErrNoGPU) || !strings.Contains(err.Error(), "libcuda-that-is-not-there.so") {
		t.Errorf("%v", err)
	}
}
