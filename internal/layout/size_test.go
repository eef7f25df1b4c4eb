package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrackedFilesAreSmall fails on tracked files above 1 MB, such as inputs
// that a fuzzer or rapid has saved: every clone has them for ever.
func TestTrackedFilesAreSmall(t *testing.T) {
	const limit = 1_000_000
	root := filepath.Join("..", "..")
	git := exec.Command("git", "ls-files", "-z")
	git.Dir = root
	out, err := git.Output()
	if err != nil {
		t.Skip("this is no checkout: ", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Size() > limit {
			t.Errorf("%s: %d bytes, expected at most %d", name, info.Size(), limit)
		}
	}
}
