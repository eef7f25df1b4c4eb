package atomicfile

import "golang.org/x/sys/unix"

// exchange makes two paths of one file system change places at once.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
