package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// refused runs bench in a process of its own, which must end by itself within
// half a minute, with exit code 2 and one message that names the path, before
// anything is measured.
func refused(t *testing.T, what, path string, cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	stop.Stop()
	text := stderr.String()
	if strings.HasPrefix(text, "plan: ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	if code := cmd.ProcessState.ExitCode(); code != exitUsage || stdout.Len() > 0 || strings.Count(text, "\n") != 1 || !strings.Contains(text, path) {
		t.Errorf("%s: exit code %d, stdout %q; expected one line that names %s and not\n%s", what, code, stdout, path, text)
	}
}

// TestOtherThingsInPlaceOfFiles: whatever is read as a whole may be a pipe
// that nobody writes to, a device that never ends or a folder; and what is to
// be written, a folder.
func TestOtherThingsInPlaceOfFiles(t *testing.T) {
	dir := workplace(t)
	if code, _, stderr := bench(all(dir, "out", "--seeds", "1", "--checkpoints")...); code != exitDone {
		t.Fatal(stderr)
	}
	tune := tuneModels("raw", dir, "out", "--workers", "1")
	if code, _, stderr := bench(tune...); code != exitDone {
		t.Fatal(stderr)
	}
	rule := anyRecord(t, filepath.Join(dir, "out"))
	sidecars, err := filepath.Glob(strings.TrimSuffix(rule, ".json") + "*.npz")
	if err != nil || len(sidecars) != 1 {
		t.Fatal(sidecars, err)
	}
	places := []struct {
		path string
		args []string
	}{
		{rule, all(dir, "out")},
		{rule, append([]string{"tables"}, where(dir)...)},
		{rule, append([]string{"report"}, where(dir)...)},
		{sidecars[0], all(dir, "out")},
		{strings.TrimSuffix(rule, ".json") + ".safetensors", all(dir, "out", "--checkpoints")},
		{filepath.Join(dir, "out", "tuned", "toy-nc", "raw.jsonl"), tune},
		{filepath.Join(dir, "out", "tuned", "toy-nc", "raw.jsonl"), append([]string{"report"}, where(dir)...)},
		{filepath.Join(dir, "specs", "toy.yaml"), all(dir, "out")},
		{filepath.Join(dir, "mine.yaml"), append([]string{"run", filepath.Join(dir, "mine.yaml")}, all(dir, "out")[1:]...)},
		{filepath.Join(dir, "data", "toy.csv"), all(dir, "other")},
		{filepath.Join(dir, "base.json"), []string{"check", "--baseline", filepath.Join(dir, "base.json")}},
	}
	things := map[string]func(path string) error{
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o755) },
	}
	for what, make := range things {
		for _, p := range places {
			if what == "a folder" && filepath.Ext(p.path) == ".yaml" && p.args[0] == "all" {
				continue // folders of specs may have any name
			}
			kept := p.path + ".kept"
			if err := os.Rename(p.path, kept); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if err := make(p.path); err != nil {
				t.Fatal(err)
			}
			cmd, stdout, stderr := process(p.args...)
			refused(t, what+" for "+p.path+", bench "+p.args[0], p.path, cmd, stdout, stderr)
			if err := os.Remove(p.path); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(kept, p.path); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	for path, args := range map[string][]string{
		filepath.Join(dir, "new", "toy", "tables.md"):                         all(dir, "new"),
		filepath.Join(dir, "new", "scale", "user-count-inference-nc.csv"):     scaleArgs(filepath.Join(dir, "new")),
		filepath.Join(dir, "new", "tuned", "toy-nc", "graph-sprints.jsonl"):   tuneToy(dir, "new"),
		filepath.Join(dir, "new", "toy", "toy", "nc", "raw", "seed-0-0.json"): all(dir, "new", "--models", "user-count"),
	} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd, stdout, stderr := process(args...)
		refused(t, "a folder, bench "+args[0], path, cmd, stdout, stderr)
		if err := os.RemoveAll(filepath.Join(dir, "new")); err != nil {
			t.Fatal(err)
		}
	}
}

// asNobody is bench in a process whose user has no rights of root.
func asNobody(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stdout, stderr = process(args...)
	if os.Geteuid() != 0 {
		return cmd, stdout, stderr
	}
	program := filepath.Join(dir, "bench")
	if err := os.Link(os.Args[0], program); err != nil && !errors.Is(err, os.ErrExist) {
		t.Skipf("the test's program cannot be linked to where others may read it: %v", err)
	}
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	err := filepath.WalkDir(filepath.Join(dir, "out"), func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = program
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd, stdout, stderr
}

// TestForbiddenFolders: one that cannot be read, or in which what is left to
// measure cannot be written.
func TestForbiddenFolders(t *testing.T) {
	dir := workplace(t)
	if code, _, stderr := bench(all(dir, "out", "--seeds", "1")...); code != exitDone {
		t.Fatal(stderr)
	}
	out := filepath.Join(dir, "out")
	for path, mode := range map[string]os.FileMode{
		filepath.Join(out, "toy"):                     0,
		filepath.Join(out, "toy", "toy"):              0,
		filepath.Join(out, "toy", "toy", "nc", "raw"): 0o555,
		filepath.Dir(anyRecord(t, out)):               0,
	} {
		cmd, stdout, stderr := asNobody(t, dir, all(dir, "out")...)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		refused(t, mode.String(), path, cmd, stdout, stderr)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd, _, stderr := asNobody(t, dir, all(dir, "out", "--seeds", "1")...)
	if err := cmd.Run(); err != nil {
		t.Errorf("with all rights: %v\n%s", err, stderr)
	}
}

// TestLinkedSuite: results on another disk, by a link in the place of the
// suite's folder, are measured once and found.
func TestLinkedSuite(t *testing.T) {
	dir := workplace(t)
	elsewhere := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "out"), 0o755), os.Symlink(elsewhere, filepath.Join(dir, "out", "toy"))); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), all(dir, "out", "--seeds", "1"), &stdout, &stderr); code != exitDone || !strings.Contains(stdout.String(), "Graph-Sprints") {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	code, tables, errs := bench(append([]string{"tables", "--seeds", "1"}, where(dir)...)...)
	if code != exitDone || tables != stdout.String() {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
