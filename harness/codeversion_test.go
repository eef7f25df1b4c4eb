package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func TestStamped(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{revision}, "abc"},
		{[]debug.BuildSetting{revision, {Key: "vcs.modified", Value: "false"}}, "abc"},
		{[]debug.BuildSetting{revision, {Key: "vcs.modified", Value: "true"}}, "abc+dirty"},
	} {
		if got := stamped(c.settings); got != c.want {
			t.Errorf("%v: %q, want %q", c.settings, got, c.want)
		}
	}
}

func TestMadeByGoRun(t *testing.T) {
	for program, want := range map[string]bool{
		"/tmp/go-build1234/b001/exe/bench":  true,
		"/tmp/go-build1234/b001/bench.test": false,
		"/home/me/go/bin/bench":             false,
	} {
		if got := madeByGoRun(program); got != want {
			t.Errorf("%s: %v, want %v", program, got, want)
		}
	}
}

func TestCheckedOut(t *testing.T) {
	dir := t.TempDir()
	if got := checkedOut(dir); got != "" {
		t.Errorf("without a repository: %q", got)
	}
	file := filepath.Join(dir, "file")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	write("one")
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "file"},
		{"-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "-m", "one"},
	} {
		if _, err := exec.LookPath("git"); err != nil {
			t.Skip("git is not installed")
		}
		git(args...)
	}
	commit := git("rev-parse", "HEAD")
	if got := checkedOut(dir); got != commit {
		t.Errorf("%q, want %q", got, commit)
	}
	write("two")
	if got, want := checkedOut(dir), commit+"+dirty"; got != want {
		t.Errorf("after a change: %q, want %q", got, want)
	}
}
