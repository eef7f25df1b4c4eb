//go:build gpu

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/kernels/cuda/cudatest"
	"dgsbench/kernels/devices"
)

// TestBenchOnCard: both devices share a folder, and the card's records say
// what it is.
func TestBenchOnCard(t *testing.T) {
	t.Setenv(devices.LibraryVariable, cudatest.Library(t))
	const suite = "../gpucheck/suites/tiny/agreement.yaml"
	out, data := t.TempDir(), t.TempDir()
	for _, device := range []string{"cpu", "cuda:0"} {
		code, stdout, stderr := bench("all", suite, "--device", device, "--out", out, "--data", data)
		if code != exitDone || strings.Contains(stdout, "--device cuda:0") != (device != "cpu") {
			t.Fatalf("%s: exit code %d\n%s\n%s", device, code, stdout, stderr)
		}
		code, again, stderr := bench("run", suite, "--device", device, "--out", out, "--data", data)
		if code != exitDone || !strings.Contains(stderr, "2 found measured") {
			t.Errorf("%s again: exit code %d\n%s\n%s", device, code, again, stderr)
		}
	}
	for _, device := range []string{"cpu", "cuda"} {
		code, rows, stderr := bench("results", suite, "--device", device, "--out", out, "--data", data)
		if lines := strings.Count(rows, "\n"); code != exitDone || strings.Count(rows, ","+device+",") != lines-1 || lines < 9 {
			t.Errorf("%s: exit code %d\n%s\n%s", device, code, rows, stderr)
		}
	}
}

// TestFullCard: a card without room stops the run, with exit code 1, and
// leaves no record that says that the trial fails. The Jacobians of this model
// take 1.2 GB, the emulated card has half of that.
func TestFullCard(t *testing.T) {
	library := cudatest.Library(t)
	if !cudatest.Emulated(t, library) {
		t.Skip("there is a card, whose memory is larger")
	}
	t.Setenv(devices.LibraryVariable, library)
	out, data := t.TempDir(), t.TempDir()
	spec := filepath.Join(data, "large.yaml")
	if err := os.WriteFile(spec, []byte("id: large\nmodel: dgs\ntitle: Large\noptions: {size: 512, blocks: 4}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := bench("run", spec, "--suite", "smoke", "--tasks", "nc", "--seeds", "1", "--device", "cuda", "--out", out, "--data", data)
	if code != exitFailed || !strings.Contains(stderr, "out of device memory") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if files, err := filepath.Glob(filepath.Join(out, "*", "*", "*", "*", "*.json")); err != nil || len(files) > 0 {
		t.Errorf("records are left: %v, error %v", files, err)
	}
}
