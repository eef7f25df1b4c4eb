//go:build unix && !solaris && !aix

package harness

import (
	"errors"
	"os"
	"syscall"
)

// lock reports false where another process holds the lock, and true where it
// is ours or nobody can have one.
func lock(folder *os.File) bool {
	return !errors.Is(syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
