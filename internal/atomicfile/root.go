package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"dgsbench/internal/lock"
)

// Root is a folder of results or of data. What is being written below it is
// in a folder of ours there until it is whole: a folder with a random name,
// beside a lock that its process holds. Clean removes those that nobody holds
// any more, and touches nothing else.
type Root string

// private is our folder of what is being written.
func (r Root) private() string { return filepath.Join(string(r), lock.Folder, "tmp") }

// token is what is in that folder: the random name, and files of its lock.
var token = regexp.MustCompile(`^([A-Z2-7]{26})(\.lock(\.lease)?)?$`)

// Scratch makes an empty folder of ours in the root, which remove removes. If
// the process is killed before, Clean does.
func (r Root) Scratch() (dir string, remove func(), err error) {
	dir = filepath.Join(r.private(), rand.Text())
	held, err := lock.Try(dir + ".lock")
	if errors.Is(err, lock.ErrHeld) {
		return r.Scratch() // by somebody who cleans up and found it first
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

// Probe reports why no file can be made in the root.
func (r Root) Probe() error {
	_, remove, err := r.Scratch()
	if err == nil {
		remove()
	}
	return err
}

// Clean removes what killed processes were writing. What others are writing
// stays, and so does what this user may not remove.
func (r Root) Clean() error {
	entries, err := os.ReadDir(r.private())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	left := map[string]bool{}
	for _, e := range entries {
		if m := token.FindStringSubmatch(e.Name()); m != nil {
			left[m[1]] = true
		}
	}
	var all sync.WaitGroup // a lease takes a while to be found stale
	var mu sync.Mutex
	var failed error
	for name := range left {
		all.Go(func() {
			if err := removeLeft(filepath.Join(r.private(), name)); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, err)
			}
		})
	}
	all.Wait()
	return failed
}

// removeLeft removes a folder of Scratch unless somebody holds it.
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

// Scratch makes an empty folder below the user's cache, for what is of no use
// when the process has ended, and removes what killed processes left there.
func Scratch() (dir string, remove func(), err error) {
	if cache, err := os.UserCacheDir(); err == nil {
		root := Root(filepath.Join(cache, "dgsbench"))
		if dir, remove, err := root.Scratch(); err == nil {
			_ = root.Clean() // it only takes room
			return dir, remove, nil
		}
	}
	dir, err = os.MkdirTemp("", "dgsbench-") // where the user has no cache
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
