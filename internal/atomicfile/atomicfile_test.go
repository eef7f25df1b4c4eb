package atomicfile

import (
	"bytes"
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
	os.Exit(m.Run())
}

// size makes a write long enough to be killed in the middle.
const size = 4 << 20

// version is a content of which every part shows whether it is whole: one
// byte, repeated.
func version(n int) []byte { return bytes.Repeat([]byte{byte('a' + n%26)}, size) }

func writeForEver(path string) {
	for n := 1; ; n++ {
		if err := Write(path, version(n)); err != nil {
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
	root := t.TempDir()
	path := filepath.Join(root, "deep", "record.json")
	if err := Write(path, version(0)); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	leftBehind := func() int { return len(names(t, filepath.Dir(path))) - 1 }
	rounds := 0
	for ; rounds < 200 && (rounds < 10 || leftBehind() < 3); rounds++ {
		killOneWriter(t, path, time.Duration(rng.IntN(60))*time.Millisecond)
		checkWhole(t, path)
	}
	t.Logf("%d kills left %d temporary files", rounds, leftBehind())
	if leftBehind() == 0 {
		t.Fatal("no kill hit a write: the test shows nothing")
	}
	if err := Clean(root); err != nil {
		t.Fatal(err)
	}
	if n := leftBehind(); n != 0 {
		t.Errorf("Clean left %d files", n)
	}
	checkWhole(t, path)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "f")
	for _, content := range []string{"first", "", "a longer one"} {
		if err := Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("got %q, %v, want %q", got, err, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("files %v, want only f", got)
	}
}

// A write that fails leaves nothing behind.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "child"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(taken, []byte("x")); err == nil {
		t.Error("no error though a folder is in the way")
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("files %v, want only the folder", got)
	}
	file := filepath.Join(dir, "file")
	if err := Write(file, nil); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(file, "below"), []byte("x")); err == nil {
		t.Error("no error though a file is where the folder should be")
	}
}

func TestCleanKeepsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	keep, drop := filepath.Join(dir, "a.tmp"), filepath.Join(dir, "a.json.tmp-999999999-123")
	for _, file := range []string{keep, drop} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Clean(dir); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 || got[0] != "a.tmp" {
		t.Errorf("files %v, want a.tmp", got)
	}
	if err := Clean(filepath.Join(dir, "missing")); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}
