//go:build gpu

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/kernels/devices"
)

// TestCardElsewhere: tasks for cards are planned on a machine that has none.
func TestCardElsewhere(t *testing.T) {
	t.Setenv(devices.LibraryVariable, filepath.Join(t.TempDir(), "none.so"))
	dir := workplace(t)
	args := append([]string{
		"plan", "--device", "cuda", "--dry-run", "--models", "raw", "--data", filepath.Join(dir, "data"), "--on", "slurm",
	}, where(dir)...)
	code, stdout, stderr := bench(args...)
	if code != exitDone || !strings.Contains(stdout, "#SBATCH --gres=gpu:1") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	args[len(args)-7] = "local"
	if code, _, stderr := bench(args...); code != exitUsage || !strings.Contains(stderr, "--device cuda") {
		t.Errorf("a card of this machine: exit code %d\n%s", code, stderr)
	}
}
