package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dgsbench/internal/lock"
)

// mount puts a small file system in a folder.
func mount(t *testing.T, dir, options string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skipf("mounting a file system needs rights that this user lacks: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
}

func remount(t *testing.T, dir string, flags uintptr, options string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags|syscall.MS_REMOUNT, options); err != nil {
		t.Fatal(err)
	}
}

// oneLine expects one line of error, after whatever progress there was.
func oneLine(t *testing.T, what, stderr string, want ...string) {
	t.Helper()
	if n := strings.Count("\n"+stderr, "\nbench: "); n != 1 || strings.Contains(stderr, "goroutine") {
		t.Errorf("%s: %d messages in\n%s", what, n, stderr)
	}
	for _, w := range want {
		if !strings.Contains(stderr, w) {
			t.Errorf("%s: no %q in\n%s", what, w, stderr)
		}
	}
}

// TestDiskFull: the disk is full after some trials. They stay, and once there
// is room the same command does the rest.
func TestDiskFull(t *testing.T) {
	dir := workplace(t)
	out := filepath.Join(dir, "full")
	mount(t, out, "size=120k")
	var whole undisturbed
	whole.run(t, dir)
	code, _, stderr := inProcess(t, all(dir, "full")...)
	if code != exitFailed {
		t.Fatalf("exit code %d, expected %d\n%s", code, exitFailed, stderr)
	}
	oneLine(t, "full", stderr, "write results: ", "no space left on device", "the same command continues from there")
	before := folder(t, out)
	noTemporary(t, "full", out)
	some := len(records(before))
	if some == 0 || some == len(records(whole.files)) {
		t.Fatalf("%d trials fit, which shows nothing", some)
	}
	remount(t, out, 0, "size=64m")
	code, stdout, stderr := inProcess(t, all(dir, "full")...)
	if code != exitDone || measuredBy(t, stderr) != len(records(whole.files))-some {
		t.Errorf("exit code %d after %d trials\n%s", code, some, stderr)
	}
	whole.compare(t, "with room again", stdout, out)
	kept(t, "with room again", before, folder(t, out))
}

// TestLargestFile: a limit on the size of files (ulimit -f) is met by
// whatever is larger.
func TestLargestFile(t *testing.T) {
	dir := workplace(t)
	var whole undisturbed
	whole.run(t, dir)
	cmd, _, stderr := process()
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 1; exec "$0" "$@"`, os.Args[0]}, all(dir, "limited")...)
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
		t.Fatalf("%v, expected exit code %d\n%s", err, exitFailed, stderr)
	}
	oneLine(t, "limited", stderr.String(), "write results: ", "file too large")
	noTemporary(t, "limited", filepath.Join(dir, "limited"))
	code, stdout, text := inProcess(t, all(dir, "limited")...)
	if code != exitDone {
		t.Errorf("exit code %d\n%s", code, text)
	}
	whole.compare(t, "without a limit", stdout, filepath.Join(dir, "limited"))
}

// TestReportIsWrittenInAPlaceOfOurs: what a killed bench report leaves is
// where the next command removes it, and not beside the page.
func TestReportIsWrittenInAPlaceOfOurs(t *testing.T) {
	dir := workplace(t)
	args := all(dir, "out")
	measure(t, args...)
	cmd, _, stderr := process()
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 1; exec "$0" "$@"`, os.Args[0], "report"}, args[1:]...)
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
		t.Fatalf("%v, expected exit code %d\n%s", err, exitFailed, stderr)
	}
	oneLine(t, "report", stderr.String(), filepath.Join(dir, "out", lock.Folder, "tmp"), "file too large")
	noTemporary(t, "report", filepath.Join(dir, "out"))
}

// TestReadOnly: nothing is measured that could not be kept.
func TestReadOnly(t *testing.T) {
	dir := workplace(t)
	out := filepath.Join(dir, "out")
	readOnly := func(on bool) { // root may write all the same
		if err := os.Chmod(out, map[bool]os.FileMode{true: 0o555, false: 0o755}[on]); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		mount(t, out, "size=64m")
		readOnly = func(on bool) { remount(t, out, map[bool]uintptr{true: syscall.MS_RDONLY}[on], "size=64m") }
	}
	if code, _, stderr := inProcess(t, all(dir, "out", "--models", "raw")...); code != exitDone {
		t.Fatal(stderr)
	}
	before := folder(t, out)
	readOnly(true)
	code, stdout, stderr := inProcess(t, all(dir, "out")...)
	if code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, stdout %q, stderr %q; expected exit code %d and one line", code, stdout, stderr, exitUsage)
	}
	oneLine(t, "read-only", stderr, "--out: nothing can be written there: ")
	if code, stdout, stderr := inProcess(t, append([]string{"tables", "--suite", "toy"}, all(dir, "out")[3:]...)...); code != exitDone || !strings.Contains(stdout, "Raw") {
		t.Errorf("tables of a read-only folder: exit code %d\n%s", code, stderr)
	}
	readOnly(false)
	if code, _, stderr := inProcess(t, all(dir, "out")...); code != exitDone {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	kept(t, "writable again", before, folder(t, out))
}
