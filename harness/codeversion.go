package harness

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
)

// unknownVersion stands for a commit that nobody knows.
const unknownVersion = "unknown"

// CodeVersion is the commit that the program was built from, with "+dirty"
// after changes that were not committed, or "unknown".
var CodeVersion = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if version := stamped(info.Settings); version != "" {
			return version
		}
	}
	if program, err := os.Executable(); err == nil && madeByGoRun(program) {
		return checkedOut(".")
	}
	return unknownVersion
})

// stamped is what `go build` wrote into the program; empty where it did not.
func stamped(settings []debug.BuildSetting) string {
	revision, dirty := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + dirty
}

// madeByGoRun reports whether `go run` built the program a moment ago, which
// stamps nothing: the source is what is checked out then.
func madeByGoRun(program string) bool {
	dir, name := filepath.Split(program)
	return strings.Contains(dir, "go-build") && strings.TrimSuffix(name, ".exe") == "bench"
}

// checkedOut is the commit of the folder and whether files of it were
// changed.
func checkedOut(dir string) string {
	revision, err := git(dir, "rev-parse", "HEAD")
	if err != nil {
		return unknownVersion
	}
	changes, err := git(dir, "status", "--porcelain", "--untracked-files=no")
	switch {
	case err != nil:
		return unknownVersion
	case changes != "":
		return revision + "+dirty"
	}
	return revision
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	return string(bytes.TrimSpace(out)), err
}
