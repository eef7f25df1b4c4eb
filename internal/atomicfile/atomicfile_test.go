//go:build unix

package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childFile tells a copy of the test binary to write that file until it is
// killed.
const childFile = "ATOMICFILE_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		writeForEver(path)
	}
	if root := os.Getenv(scratchRoot); root != "" {
		makeScratch(root)
	}
	if root := os.Getenv(cleanRoot); root != "" {
		if err := Root(root).Clean(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// size makes a write long enough to be killed in the middle.
const size = 4 << 20

// version is a content of which every part shows whether it is whole: one
// byte, repeated.
func version(n int) []byte { return bytes.Repeat([]byte{byte('a' + n%26)}, size) }

// rootOf is the root in which a file lies two folders deep.
func rootOf(path string) Root { return Root(filepath.Dir(filepath.Dir(path))) }

func writeForEver(path string) {
	for n := 1; ; n++ {
		if err := rootOf(path).Write(path, version(n)); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
	}
}

func checkWhole(t *testing.T, path string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != size || bytes.Count(got, got[:1]) != size {
		t.Fatalf("a part of a content, or a mixture of two: %d bytes of %d", len(got), size)
	}
}

// killOneWriter kills a writing process after a while, and reads meanwhile.
func killOneWriter(t *testing.T, path string, after time.Duration) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childFile+"="+path)
	var stderr strings.Builder
	child.Stderr = &stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Process.Kill() // also when a check fails
	for end := time.Now().Add(after); time.Now().Before(end); {
		checkWhole(t, path)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil || stderr.Len() > 0 {
		t.Fatalf("the child ended by itself: %v %s", err, &stderr)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// A process that writes is killed at random moments: whoever reads, during
// and after, finds a whole content, and Clean removes what the killed ones
// left behind.
func TestKilledWhileWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "record.json")
	root := rootOf(path)
	if err := root.Write(path, version(0)); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	leftBehind := func() int {
		left, _ := os.ReadDir(root.private()) // which may be gone
		return len(left)
	}
	rounds := 0
	for ; rounds < 200 && (rounds < 10 || leftBehind() < 3); rounds++ {
		killOneWriter(t, path, time.Duration(rng.IntN(60))*time.Millisecond)
		checkWhole(t, path)
	}
	t.Logf("%d kills left %d temporary files", rounds, leftBehind())
	if leftBehind() == 0 {
		t.Fatal("no kill hit a write: the test shows nothing")
	}
	if err := root.Clean(); err != nil {
		t.Fatal(err)
	}
	if n := leftBehind(); n != 0 {
		t.Errorf("Clean left %d files", n)
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("files %v, expected only the record", got)
	}
	checkWhole(t, path)
}

// writers are the ways to write a file.
func writers(dir string) map[string]func(path string, data []byte) error {
	return map[string]func(string, []byte) error{"in a root": Root(dir).Write, "in no root": Write}
}

func TestWrite(t *testing.T) {
	for name, write := range writers(t.TempDir()) {
		path := filepath.Join(t.TempDir(), "a", "b", "f")
		for _, content := range []string{"first", "", "a longer one"} {
			if err := write(path, []byte(content)); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != content {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, content)
			}
		}
		if got := names(t, filepath.Dir(path)); len(got) != 1 {
			t.Errorf("%s: files %v, want only f", name, got)
		}
	}
}

// A write that fails leaves nothing behind.
func TestWriteFails(t *testing.T) {
	root := t.TempDir()
	for name, write := range writers(root) {
		dir := t.TempDir()
		taken := filepath.Join(dir, "taken")
		if err := os.MkdirAll(filepath.Join(taken, "child"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := write(taken, []byte("x")); err == nil {
			t.Errorf("%s: no error though a folder is in the way", name)
		}
		if got := names(t, dir); len(got) != 1 {
			t.Errorf("%s: files %v, want only the folder", name, got)
		}
		file := filepath.Join(dir, "file")
		if err := write(file, nil); err != nil {
			t.Fatal(err)
		}
		if err := write(filepath.Join(file, "below"), []byte("x")); err == nil {
			t.Errorf("%s: no error though a file is where the folder should be", name)
		}
	}
	if got := names(t, root); len(got) != 0 {
		t.Errorf("files %v are left in the root", got)
	}
}

// TestPanicWhileFilling: a panic while the file is filled closes and removes it.
func TestPanicWhileFilling(t *testing.T) {
	dir := t.TempDir()
	var file *os.File
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not come through")
			}
		}()
		_ = WriteTo(filepath.Join(dir, "a"), func(w io.Writer) error {
			file = w.(*os.File)
			panic("while filling")
		})
	}()
	if _, err := file.Write(nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("writing after the panic: error %v, expected that the file is closed", err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("files %v are left", left)
	}
}
