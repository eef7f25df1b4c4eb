package mmap

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"unsafe"
)

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, size := range []int{1, 4095, 4096, 4097, 100_000} {
		want := bytes.Repeat([]byte("stream!"), size)[:size]
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.Data, want) {
			t.Errorf("%d bytes: the content differs", size)
		}
		if uintptr(unsafe.Pointer(&f.Data[0]))%8 != 0 {
			t.Errorf("%d bytes: they start in the middle of a word", size)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, empty, filepath.Join(dir, "missing")} {
		if f, err := Open(path); err == nil {
			t.Errorf("%s was mapped: %d bytes", path, len(f.Data))
		}
	}
}
