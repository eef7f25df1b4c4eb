// Package ramtest makes limits on memory for the tests of what keeps within them.
package ramtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Group makes a control group with a limit on memory, and returns the command
// with which a shell joins it. It skips where none can be made.
func Group(t *testing.T, limit int64) (join string) {
	t.Helper()
	parent, name := "/sys/fs/cgroup", "memory.max"
	if _, err := os.Stat("/sys/fs/cgroup/memory/memory.limit_in_bytes"); err == nil {
		parent, name = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	}
	folder := filepath.Join(parent, fmt.Sprintf("bench-test-%d", os.Getpid()))
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Skipf("no control group can be made here: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(folder) })
	if err := os.WriteFile(filepath.Join(folder, name), []byte(strconv.FormatInt(limit, 10)), 0); err != nil {
		t.Skipf("no control group can be limited here: %v", err)
	}
	return "echo $$ > " + filepath.Join(folder, "cgroup.procs")
}
