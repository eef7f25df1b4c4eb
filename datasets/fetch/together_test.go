//go:build unix

package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Of two downloads into one folder, the second waits, and finds the file. The
// first one's server sends the second half when the second waits.
func TestFetchTwiceAtOnce(t *testing.T) {
	dir := t.TempDir()
	waits, half := make(chan bool), make(chan bool)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:len(content)/2])
		w.(http.Flusher).Flush()
		close(half)
		<-waits
		w.Write(content[len(content)/2:])
	})
	var both sync.WaitGroup
	both.Go(func() {
		if err := (Fetcher{}).Fetch(context.Background(), s.dataset(), dir); err != nil {
			t.Error(err)
		}
	})
	<-half
	told := ""
	both.Go(func() {
		second := Fetcher{Wait: func(path string) { told = path; close(waits) }}
		if err := second.Fetch(context.Background(), s.dataset(), dir); !errors.Is(err, ErrComplete) {
			t.Errorf("the second: %v, expected %v", err, ErrComplete)
		}
	})
	both.Wait()
	check(t, dir)
	if want := filepath.Join(dir, "f.csv"); told != want || len(s.ranges) != 1 {
		t.Errorf("told of %q, expected %q; asked for %q, expected once", told, want, s.ranges)
	}
}

// One that waits can be interrupted.
func TestFetchStopsWaiting(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, stalled(1000))
	first, stop := context.WithCancel(context.Background())
	begun := make(chan bool, 1)
	done := make(chan error)
	go func() {
		done <- Fetcher{Progress: func(int64, int64) { begun <- true }}.Fetch(first, s.dataset(), dir)
	}()
	<-begun
	second, cancel := context.WithCancel(context.Background())
	if err := (Fetcher{Wait: func(string) { cancel() }}).Fetch(second, s.dataset(), dir); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected %v", err, context.Canceled)
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// dripping sends a byte at a time, and as few as that in an answer.
func dripping(every time.Duration, answer int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from := 0
		_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)-from))
		if from > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
		}
		for i := range answer {
			w.Write(content[from+i : from+i+1])
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(every):
			}
		}
		panic(http.ErrAbortHandler)
	}
}

// Servers that always send something, or nothing, and never enough: they are
// given up in time, with what came and how long it took.
func TestFetchGivesUpSlowServers(t *testing.T) {
	slow := "expected at least 1000 a second, after "
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		pause  time.Duration
		want   string
	}{
		{"a byte at a time", dripping(20*time.Millisecond, 1000), time.Millisecond, slow},
		{"a byte an answer", dripping(0, 1), 10 * time.Millisecond, "4 times in a row, after "},
		{"a byte an answer, and no pause", dripping(5*time.Millisecond, 1), time.Nanosecond, "4 times in a row, after "},
		{"no head", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, time.Millisecond, "0 bytes in 400ms, " + slow},
		{"nothing behind the head", stalledAt(3000), time.Millisecond, slow},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.answer)
			start := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			f := Fetcher{stall: 200 * time.Millisecond, window: 400 * time.Millisecond, pause: c.pause}
			err := f.Fetch(ctx, s.dataset(), t.TempDir())
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "s in all") || time.Since(start) > 10*time.Second {
				t.Errorf("error %v after %v, expected %q", err, time.Since(start), c.want)
			}
		})
	}
}

// A slow server that is fast enough is not given up.
func TestFetchFromASlowServer(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		for at := 0; at < len(content); at += 16 << 10 {
			w.Write(content[at:min(at+16<<10, len(content))])
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	f := Fetcher{window: 200 * time.Millisecond, minSpeed: 5000}
	if err := f.Fetch(context.Background(), s.dataset(), dir); err != nil {
		t.Fatal(err)
	}
	check(t, dir)
}

// What lies in the place of a part or of its note and leads elsewhere is
// neither written through nor waited for.
func TestFetchFollowsNoLinks(t *testing.T) {
	for _, ending := range []string{".part", ".part.json"} {
		for what, put := range map[string]func(outside, path string) error{
			"link":      os.Symlink,
			"hard link": os.Link,
			"pipe":      func(_, path string) error { return syscall.Mkfifo(path, 0o600) },
			"dangling":  func(outside, path string) error { return os.Symlink(outside+"x", path) },
		} {
			dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "precious")
			if err := errors.Join(os.WriteFile(outside, []byte("precious"), 0o600), put(outside, filepath.Join(dir, "f.csv"+ending))); err != nil {
				t.Fatal(err)
			}
			err := fetch(serve(t, whole), dir)
			if text, _ := os.ReadFile(outside); string(text) != "precious" {
				t.Errorf("%s as %s: the other file is now %q", what, ending, text)
			}
			if _, there := os.Lstat(outside + "x"); there == nil {
				t.Errorf("%s as %s: a file was made elsewhere", what, ending)
			}
			if ending == ".part" {
				if err == nil || !strings.Contains(err.Error(), "f.csv.part is not a regular file of its own") {
					t.Errorf("%s: error %v", what, err)
				}
			} else if err != nil {
				t.Errorf("%s: %v", what, err)
			} else {
				check(t, dir)
			}
		}
	}
}
