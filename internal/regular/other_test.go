//go:build linux || darwin || freebsd

package regular_test

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dgsbench/internal/regular"
)

// TestOthers: a pipe that nobody writes to and devices that never end are
// refused at once.
func TestOthers(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "is a named pipe", "/dev/zero": "is a device", "/dev/null": "is a device"} {
		done := make(chan error, 1)
		go func() {
			_, err := regular.Read(path, 1<<20)
			done <- err
		}()
		select {
		case err := <-done:
			if !errors.Is(err, regular.ErrOther) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, expected %q", path, err, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s is read without end", path)
		}
	}
}
