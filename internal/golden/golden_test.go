package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// failures is a test that only notes that it failed.
type failures struct {
	testing.TB
	failed bool
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.failed = true }

// TestCompare: what differs, or was never there, fails and is left beside the
// file until it is right.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	file, left := filepath.Join(dir, "made.txt"), filepath.Join(dir, ".got-made.txt")
	for _, c := range []struct {
		want, got string // want is not there where it is empty
		fails     bool
	}{{"", "a\n", true}, {"a\n", "a\n", false}, {"a\n", "a", true}, {"a\n", "b\n", true}, {"b\n", "b\n", false}} {
		if c.want != "" {
			if err := os.WriteFile(file, []byte(c.want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		f := &failures{TB: t}
		Compare(f, file, c.got)
		text, err := os.ReadFile(left)
		if f.failed != c.fails || (err == nil) != c.fails || c.fails && string(text) != c.got {
			t.Errorf("want %q, got %q: failed %t, left %q (%v)", c.want, c.got, f.failed, text, err)
		}
	}
}
