//go:build unix

package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scratchRoot tells a copy of the test binary to make a folder of ours in that
// root and to say its path, until it is killed.
const scratchRoot = "ATOMICFILE_TEST_SCRATCH"

// cleanRoot tells it to clean that root.
const cleanRoot = "ATOMICFILE_TEST_CLEAN"

func makeScratch(root string) {
	dir, _, err := Root(root).Scratch()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "half"), nil, 0o600)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(dir)
	_, _ = os.Stdin.Read(make([]byte, 1)) // for ever: nobody writes
}

// writing is a process that is writing in the root, and where.
func writing(t *testing.T, root string, through ...string) (cmd *exec.Cmd, dir string) {
	t.Helper()
	args := append(through, os.Args[0])
	cmd = exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), scratchRoot+"="+root)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	said, err := bufio.NewReader(out).ReadString('\n')
	if dir = strings.TrimSpace(said); err != nil || filepath.Dir(dir) != Root(root).private() {
		t.Fatalf("it said %q, %v", said, err)
	}
	return cmd, dir
}

// TestClean removes what killed processes were writing, also one that had the
// number of a live one, and leaves what others are writing: here, in another
// namespace, and files whose names only look like temporary ones.
func TestClean(t *testing.T) {
	root := t.TempDir()
	foreign := []string{"backup/db.tmp-99999-1", "set.tmp-999999999-1/f", "toy/a.json.tmp-1-123", ".dgsbench/tmp/notes", ".dgsbench/tmp/ABC.lock"}
	for _, name := range foreign {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	killed, gone := writing(t, root)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	_, live := writing(t, root)
	mine, remove, err := Root(root).Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if err := Root(root).Clean(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{live, mine} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("what is being written is gone: %v", err)
		}
	}
	remove()
	for _, name := range foreign {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Errorf("a file that is not ours is gone: %v", err)
		}
	}
	want := []string{filepath.Base(live), filepath.Base(live) + ".lock", "ABC.lock", "notes"}
	slices.Sort(want)
	if got := names(t, Root(root).private()); !slices.Equal(got, want) {
		t.Errorf("files %v after %s was killed, expected %v", got, gone, want)
	}
	if err := Root(filepath.Join(root, "missing")).Clean(); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestCleanOfAnotherUser: what this user may not remove stays, and is no error.
func TestCleanOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to be another user needs root")
	}
	root := t.TempDir()
	killed, left := writing(t, root)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	program := filepath.Join(root, "test")
	data, err := os.ReadFile(os.Args[0])
	if err := errors.Join(err, os.WriteFile(program, data, 0o755)); err != nil {
		t.Fatal(err)
	}
	for dir := root; len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), cleanRoot+"="+root)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(left, "half")); err != nil {
		t.Error(err)
	}
}

// TestCleanAcrossNamespaces: two processes with the number 1, each in a
// namespace of its own, neither remove the other's files nor leave them for
// ever.
func TestCleanAcrossNamespaces(t *testing.T) {
	through := []string{"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"}
	if out, err := exec.Command(through[0], append(through[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("a namespace of processes needs rights that this user lacks: %v %s", err, out)
	}
	root := t.TempDir()
	cmd, dir := writing(t, root, through...)
	_, other := writing(t, root, through...)
	if err := Root(root).Clean(); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, other} {
		if _, err := os.Stat(filepath.Join(d, "half")); err != nil {
			t.Errorf("what is being written is gone: %v", err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for range 1000 { // the kernel ends the namespace a little later
		time.Sleep(10 * time.Millisecond)
		if err := Root(root).Clean(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if got := names(t, Root(root).private()); len(got) != 2 {
		t.Errorf("files %v, expected those of one process", got)
	}
}

// TestCleanLeases: the same where there are no locks.
func TestCleanLeases(t *testing.T) {
	t.Setenv("DGSBENCH_LOCKS", "leases")
	root := t.TempDir()
	killed, _ := writing(t, root)
	_, live := writing(t, root)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if err := Root(root).Clean(); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Base(live), filepath.Base(live) + ".lock.lease"}
	if got := names(t, Root(root).private()); !slices.Equal(got, want) {
		t.Errorf("files %v, expected %v", got, want)
	}
}

// TestFolder: all of its files or none, and nothing over a folder that is
// there.
func TestFolder(t *testing.T) {
	root := Root(t.TempDir())
	path := filepath.Join(string(root), "a", "set")
	fill := func(dir string) error { return Write(filepath.Join(dir, "f"), []byte("x")) }
	failing := func(dir string) error { return errors.Join(fill(dir), errors.New("no more")) }
	if err := root.Folder(path, failing); err == nil || len(names(t, filepath.Dir(path))) != 0 {
		t.Errorf("error %v, files %v", err, names(t, filepath.Dir(path)))
	}
	if err := root.Folder(path, fill); err != nil {
		t.Fatal(err)
	}
	if err := root.Folder(path, fill); err == nil {
		t.Error("a folder was replaced")
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 || got[0] != "set" {
		t.Errorf("files %v, want only the folder", got)
	}
	if got := names(t, string(root)); len(got) != 1 {
		t.Errorf("files %v are left", got)
	}
}

// TestUmask: files and folders have the rights that the user gives to new
// ones.
func TestUmask(t *testing.T) {
	for umask, want := range map[int][2]fs.FileMode{0o027: {0o640, 0o750}, 0o002: {0o664, 0o775}, 0o077: {0o600, 0o700}} {
		dir := t.TempDir()
		old := syscall.Umask(umask)
		root := Root(filepath.Join(dir, "root"))
		set := filepath.Join(string(root), "a", "set")
		err := errors.Join(
			root.Write(filepath.Join(string(root), "b", "f"), nil),
			Write(filepath.Join(string(root), "g"), nil),
			root.Folder(set, func(dir string) error { return Write(filepath.Join(dir, "f"), nil) }),
		)
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]fs.FileMode{"b/f": want[0], "g": want[0], "a/set/f": want[0], "a/set": want[1], "a": want[1], "b": want[1]} {
			info, err := os.Stat(filepath.Join(string(root), filepath.FromSlash(name)))
			if err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s is %v, %v, expected %v", umask, name, info.Mode().Perm(), err, want)
			}
		}
	}
}

// TestProbe: it says why nothing can be written, and leaves nothing.
func TestProbe(t *testing.T) {
	root := Root(t.TempDir())
	if err := root.Probe(); err != nil || len(names(t, string(root))) != 0 {
		t.Errorf("%v, left %v", err, names(t, string(root)))
	}
	file := filepath.Join(string(root), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Root(file).Probe(); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("error %v, expected that it is not a folder", err)
	}
}

// TestScratch: below the user's cache, or where there is none, and removed.
func TestScratch(t *testing.T) {
	for _, home := range []string{t.TempDir(), ""} {
		t.Setenv("HOME", home)
		t.Setenv("XDG_CACHE_HOME", "")
		dir, remove, err := Scratch()
		if err != nil || strings.HasPrefix(dir, home) != true {
			t.Errorf("%s, %v, expected a folder in %s", dir, err, home)
		}
		if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o600); err != nil {
			t.Error(err)
		}
		remove()
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("left: %v", err)
		}
	}
}

// TestLinkToAnotherFileSystem: a folder below the root may be a link to
// another disk.
func TestLinkToAnotherFileSystem(t *testing.T) {
	root := Root(t.TempDir())
	elsewhere, err := os.MkdirTemp("/dev/shm", "dgsbench-")
	if err != nil {
		t.Skip("there is no /dev/shm")
	}
	defer os.RemoveAll(elsewhere)
	if err := os.Symlink(elsewhere, filepath.Join(string(root), "suite")); err != nil {
		t.Fatal(err)
	}
	if err := root.Write(filepath.Join(string(root), "suite", "record"), []byte("whole")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(elsewhere)
	if err != nil || len(entries) != 1 || entries[0].Name() != "record" {
		t.Errorf("the other file system holds %v, %v, expected the record alone", entries, err)
	}
}

// TestReplaceFolder: the new folder stands in place of the old one as a whole, one
// that cannot be filled leaves the old one, and nothing else stays.
func TestReplaceFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "mine")
	write := func(name string, err error) func(string) error {
		return func(tmp string) error { return errors.Join(os.WriteFile(filepath.Join(tmp, name), nil, 0o644), err) }
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		err  error
		want string
	}{{"first", nil, "first"}, {"second", nil, "second"}, {"third", broken, "second"}} {
		if err := Root(dir).ReplaceFolder(path, write(c.name, c.err)); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := names(t, path); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: files %v, expected %s", c.name, got, c.want)
		}
		if left, _ := os.ReadDir(Root(dir).private()); len(left) > 0 {
			t.Errorf("%s: %v is left", c.name, left)
		}
	}
}

// TestReplaceFolderAtOnce: whoever looks meanwhile finds one of the folders.
func TestReplaceFolderAtOnce(t *testing.T) {
	if err := exchange(filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system has a moment without either")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "mine")
	fill := func(tmp string) error { return os.WriteFile(filepath.Join(tmp, "f"), nil, 0o644) }
	if err := Root(dir).ReplaceFolder(path, fill); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		defer close(done)
		for range 200 {
			if err := Root(dir).ReplaceFolder(path, fill); err != nil {
				done <- err
			}
		}
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
			if _, err := os.Stat(filepath.Join(path, "f")); err != nil {
				t.Fatal(err)
			}
		}
	}
}
