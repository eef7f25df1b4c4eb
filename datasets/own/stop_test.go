//go:build unix

package own

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// An import that is told to stop does so wherever it is, and leaves nothing.
func TestImportStops(t *testing.T) {
	for name, pack := range map[string]func([]byte) []byte{
		"plain": func(data []byte) []byte { return data }, "gz": gzipped, "zst": zstandard,
	} {
		t.Run(name, func(t *testing.T) {
			stopped := 0
			for at := 0.0; at < 1; at += 0.1 {
				dir, src := log(t, string(pack([]byte(text(20_000)))))
				ctx, cancel := context.WithCancel(t.Context())
				src.Progress = func(share float64) {
					if share >= at {
						cancel()
					}
				}
				_, err := Import(ctx, dir, src)
				cancel()
				if err == nil { // it was all but finished
					continue
				}
				stopped++
				// The error says nothing of a damaged file.
				if left := entries(t, dir); err != context.Canceled || len(left) > 0 {
					t.Errorf("from %.1f on: error %v, %v is left", at, err, left)
				}
			}
			if stopped < 8 {
				t.Errorf("stopped at %d of 10 places", stopped)
			}
		})
	}
}

// Progress never goes back, and ends with all of the work.
func TestImportProgress(t *testing.T) {
	for name, pack := range map[string]func([]byte) []byte{"plain": func(data []byte) []byte { return data }, "gz": gzipped} {
		dir, src := log(t, string(pack([]byte(text(20_000)))))
		last := 0.0
		src.Progress = func(share float64) {
			if share < last || share > 1 {
				t.Errorf("%s: %v behind %v", name, share, last)
			}
			last = share
		}
		if _, err := Import(t.Context(), dir, src); err != nil || last < 0.95 {
			t.Errorf("%s: error %v, progress ends at %v", name, err, last)
		}
	}
}

// A pipe is refused at once: it would be waited for.
func TestImportOfAPipe(t *testing.T) {
	dir, src := log(t, "")
	if err := os.Remove(src.Files[0]); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(src.Files[0], 0o644); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Import(t.Context(), dir, src)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a pipe was imported")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits")
	}
}

// TestImportStopsWaiting: standard input that brings nothing does not hold up an
// import that is cancelled.
func TestImportStopsWaiting(t *testing.T) {
	dir, src := log(t, "")
	in, out := io.Pipe()
	defer out.Close()
	src.Files, src.Input = []string{Stdin}, in
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Import(ctx, dir, src); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
