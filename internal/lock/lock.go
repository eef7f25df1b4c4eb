// Package lock excludes processes from each other by files in folders of ours:
// never by the number of a process, nor by a clock or the date of a file.
//
// A lock is the operating system's, which ends with its process. If the file
// system has no locks, or DGSBENCH_LOCKS is "leases" because they do not reach
// other machines, a lock is a lease: a file with a random token and a counter
// that its holder increments every two seconds. A process that wants the lease
// watches the file, and takes it over after ten seconds without a change.
package lock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Folder is the folder of our own files, in the root of a folder of results or of
// data.
const Folder = ".dgsbench"

// In returns the path of the lock of that name in a root.
func In(root, name string) string { return filepath.Join(root, Folder, "locks", name, "lock") }

// ErrHeld says that another holder has the lock.
var ErrHeld = errors.New("held by another process")

// Lock is a lock that is held.
type Lock struct {
	release func()
	// lost is closed when a lease was taken over because its holder was stopped for
	// too long. A lock of the operating system is never lost.
	lost chan struct{}
}

// ErrLost says that another process has taken over a lease.
var ErrLost = errors.New("another process took over from this one, which was stopped for too long: run the command again")

// During returns a context that is cancelled with the cause ErrLost when the lock
// is lost.
func (l *Lock) During(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-l.lost:
			cancel(ErrLost)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Release releases the lock and removes its file, and our folders that are then
// empty.
func (l *Lock) Release() { l.release() }

// Try takes the lock of that path, making its folder if needed. The error is
// ErrHeld if another holder has it. Locks exclude each other within a process
// too.
func Try(path string) (*Lock, error) { return usual.try(context.Background(), path) }

// Wait is Try that waits until the lock is free or ctx is done. Unless the lock
// is free at once, it calls waiting, which may be nil.
func Wait(ctx context.Context, path string, waiting func()) (*Lock, error) {
	return usual.wait(ctx, path, waiting)
}

// scheme is a way of locking; tests use others.
type scheme struct {
	system func(path string) (*Lock, error) // the operating system's lock
	beat   time.Duration                    // between two changes of a lease
}

var usual = scheme{system: ofSystem, beat: 2 * time.Second}

func (s scheme) try(ctx context.Context, path string) (l *Lock, err error) {
	if err := checkFolders(path); err != nil {
		return nil, err
	}
	for range 1000 { // others may remove the empty folder, or the file, at any time
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			l, err = s.tryOnce(ctx, path)
		}
		beingRemoved := runtime.GOOS == "windows" && errors.Is(err, fs.ErrPermission)
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) && !beingRemoved { // MkdirAll: it was removed meanwhile
			break
		}
	}
	if err != nil {
		return nil, err
	}
	release := l.release
	l.release = func() {
		release()
		removeEmpty(filepath.Dir(path))
	}
	return l, nil
}

// isOurs reports whether the path leads through a folder of ours.
func isOurs(path string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), Folder)
}

// checkFolders returns an error if a folder of ours on the way to path is not a
// folder: a link would lead to places that are not ours.
func checkFolders(path string) error {
	for isOurs(filepath.Dir(path)) {
		path = filepath.Dir(path)
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a folder, expected one of bench's own: remove it", path)
		}
	}
	return nil
}

// removeEmpty removes a folder of ours and those above it, as long as they are
// empty.
func removeEmpty(dir string) {
	for isOurs(dir) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}

// tryOnce returns fs.ErrNotExist if the folder or the file was removed meanwhile.
func (s scheme) tryOnce(ctx context.Context, path string) (*Lock, error) {
	switch want := os.Getenv("DGSBENCH_LOCKS"); want {
	case "leases":
	case "":
		l, err := s.system(path)
		if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.ENOLCK) {
			return l, err
		}
		_ = os.Remove(path) // it is useless
	default:
		return nil, fmt.Errorf("DGSBENCH_LOCKS is %q, expected leases or nothing", want)
	}
	return s.lease(ctx, path+".lease")
}

// retryPause is the time between attempts to take a lock that is held.
const retryPause = 100 * time.Millisecond

func (s scheme) wait(ctx context.Context, path string, waiting func()) (*Lock, error) {
	for {
		l, err := s.try(ctx, path)
		if !errors.Is(err, ErrHeld) {
			return l, err
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		if err := pause(ctx, retryPause); err != nil {
			return nil, err
		}
	}
}

// pause waits for a while, or until ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// ofSystem takes the operating system's lock.
func ofSystem(path string) (*Lock, error) {
	if err := makeFile(path); err != nil {
		return nil, err
	}
	// The file is opened for reading, and not created here: in a folder such as
	// /tmp, it may be another user's. If locking needs write permission, flock
	// reopens it.
	f := flock.New(path, flock.SetFlag(os.O_RDONLY), flock.SetPermissions(0))
	held, err := f.TryLock()
	switch {
	case err != nil:
		return nil, err
	case !held:
		return nil, ErrHeld
	case !isAt(f, path):
		_ = f.Unlock()
		return nil, fs.ErrNotExist
	}
	return &Lock{release: func() {
		var err error
		if isAt(f, path) { // else its folder was moved, and the file there is another's
			err = os.Remove(path) // processes that have it open find that it is gone
		}
		_ = f.Unlock()
		if err != nil {
			_ = os.Remove(path) // on systems that cannot remove open files
		}
	}}, nil
}

// makeFile makes the empty file that is locked, which every user may lock,
// unless it exists.
func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err == nil {
		_ = f.Chmod(0o644)
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	return regular(path)
}

// regular returns an error if path is not a regular file, but a link or a pipe.
func regular(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file, expected one to lock: remove it", path)
	}
	return err
}

// isAt reports whether the locked file is still the one at that path.
func isAt(f *flock.Flock, path string) bool {
	locked, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(locked, there)
}
