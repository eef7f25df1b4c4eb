//go:build darwin || freebsd || linux || netbsd || openbsd

package mmap

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A named pipe without a writer is refused, not waited for.
func TestOpenRefusesPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Open(path)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("it was mapped")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for a writer")
	}
}
