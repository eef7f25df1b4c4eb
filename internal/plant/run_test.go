package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestVerdicts plants bugs in a module of a few lines: what a test fails or never
// ends with is caught, and what does not compile or apply is no bug.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module sum\n\ngo 1.26\n",
		"a.go":      "package sum\n\nfunc Sum(n int) (s int) {\n\tfor i := 1; i <= n; i++ {\n\t\ts += i\n\t}\n\treturn s\n}\n",
		"a_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif s := Sum(3); s != 6 {\n\t\tt.Fatal(s)\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := &list{}
	r := &runner{tests: true, timeout: 5 * time.Second, side: 2, root: root, scratch: t.TempDir()}
	var wg sync.WaitGroup
	for _, c := range []struct {
		bug  bug
		want verdict
		line string // in the result
	}{
		{bug{Name: "off by one", Right: "<= n", Wrong: "< n"}, caught, "TestSum: a_test.go:7: 3"},
		{bug{Name: "never ends", Right: "i++", Wrong: ""}, caught, "panic: test timed out"},
		{bug{Name: "begins at zero", Right: "i := 1", Wrong: "i := 0"}, missed, "instead of"},
		{bug{Name: "the same", Right: "i := 1", Wrong: "i := 0", Equivalent: "adds zero"}, equivalent, "adds zero"},
		{bug{Name: "not the same", Right: "<= n", Wrong: "< n", Equivalent: "adds zero"}, wrongEntry, "caught by"},
		{bug{Name: "does not compile", Right: "return s", Wrong: "return x"}, wrongEntry, "compile"},
		{bug{Name: "does not apply", Right: "i", Wrong: "j"}, wrongEntry, "expected once"},
	} {
		wg.Go(func() {
			b := c.bug
			b.File, b.of = "a.go", l
			if v, line := r.plant(&b, true); v != c.want || !strings.Contains(line, c.line) {
				t.Errorf("%s: %s, %q, expected %s, %q", b.Name, v, line, c.want, c.line)
			}
		})
	}
	wg.Wait()
}
