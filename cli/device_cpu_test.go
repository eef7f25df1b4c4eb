//go:build !gpu

package cli

import "testing"

func TestNoCUDA(t *testing.T) {
	code, _, stderr := bench("run", "--suite", "smoke", "--device", "cuda", "--out", t.TempDir())
	if want := "bench: --device cuda: this build has no CUDA: build with -tags gpu\n"; code != exitUsage || stderr != want {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
