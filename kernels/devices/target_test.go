package devices_test

import (
	"strings"
	"testing"

	"dgsbench/kernels/devices"
)

func TestProcessor(t *testing.T) {
	found, err := devices.Find("cpu")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []devices.Target{found, {}} {
		d, err := target.New(3)
		if err != nil || d.Name() != target.Name() || d.Threads() != 3 || !strings.HasPrefix(target.Name(), "cpu/") || target.SeparateMemory() {
			t.Errorf("%v, error %v", target, err)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, name := range []string{"", "gpu", "cpu:0", "cuda:", "cuda:-1", "cuda:x", "CUDA"} {
		if _, err := devices.Find(name); err == nil || !strings.Contains(err.Error(), "expected cpu, cuda or cuda:N") {
			t.Errorf("%q: error %v", name, err)
		}
	}
}
