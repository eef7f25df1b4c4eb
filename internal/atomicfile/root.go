package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"dgsbench/internal/lock"
)

// Root is a folder of results or of data. What is written below it is in a
// scratch folder there until it is complete: a folder with a random name,
// beside a lock that its process holds. Clean removes scratch folders whose lock
// is free, and touches nothing else.
type Root string

// private returns the folder of the scratch folders.
func (r Root) private() string { return filepath.Join(string(r), lock.Folder, "tmp") }

// token matches the names in that folder: a random name, and the files of its
// lock.
var token = regexp.MustCompile(`^([A-Z2-7]{26})(\.lock(\.lease)?)?$`)

// Scratch makes an empty scratch folder in the root, which remove removes. If the
// process is killed before, Clean does.
func (r Root) Scratch() (dir string, remove func(), err error) {
	dir = filepath.Join(r.private(), rand.Text())
	held, err := lock.Try(dir + ".lock")
	if errors.Is(err, lock.ErrHeld) {
		return r.Scratch() // held by a Clean that found the lock first
	}
	if err != nil {
		return "", nil, err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		held.Release()
		return "", nil, err
	}
	return dir, func() {
		_ = os.RemoveAll(dir)
		held.Release()
	}, nil
}

// Probe returns the reason why no file can be made in the root.
func (r Root) Probe() error {
	_, remove, err := r.Scratch()
	if err == nil {
		remove()
	}
	return err
}

// Clean removes what killed processes were writing. It leaves what others are
// writing, and what this user may not remove.
func (r Root) Clean() error {
	entries, err := os.ReadDir(r.private())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	left := map[string]bool{}
	for _, e := range entries {
		if m := token.FindStringSubmatch(e.Name()); m != nil {
			left[m[1]] = true
		}
	}
	errs := make(chan error, len(left))
	for name := range left { // concurrently, as it takes seconds to find a lease stale
		go func() { errs <- removeLeft(filepath.Join(r.private(), name)) }()
	}
	for range left {
		err = errors.Join(err, <-errs)
	}
	return err
}

// removeLeft removes a scratch folder unless its lock is held.
func removeLeft(dir string) error {
	held, err := lock.Try(dir + ".lock")
	if err == nil {
		err = os.RemoveAll(dir)
		held.Release()
	}
	if errors.Is(err, lock.ErrHeld) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Scratch makes an empty folder below the user's cache, for what is useless after
// the process has ended, and removes what killed processes left there.
func Scratch() (dir string, remove func(), err error) {
	if cache, err := os.UserCacheDir(); err == nil {
		root := Root(filepath.Join(cache, "dgsbench"))
		if dir, remove, err := root.Scratch(); err == nil {
			_ = root.Clean() // what is left only takes space
			return dir, remove, nil
		}
	}
	dir, err = os.MkdirTemp("", "dgsbench-") // the user has no cache
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
