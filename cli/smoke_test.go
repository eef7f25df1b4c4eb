package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/specs"
)

// TestSmoke: every model that there is runs to its end in the suite smoke.
func TestSmoke(t *testing.T) {
	t.Parallel()
	lib, err := specs.NewLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	code, stdout, stderr := inProcess(t, "all", "--suite", "smoke", "--out", out)
	if code != exitDone || !strings.Contains(stdout, "Node classification") || !strings.Contains(stdout, "Link prediction") {
		t.Fatalf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	for _, id := range lib.ModelIDs() {
		records, err := filepath.Glob(filepath.Join(out, "smoke", "*", "*", id, "*.json"))
		if err != nil || len(records) == 0 {
			t.Errorf("the suite smoke has no model %s", id)
		}
	}
}
