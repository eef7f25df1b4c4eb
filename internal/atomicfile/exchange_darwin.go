package atomicfile

import "golang.org/x/sys/unix"

// exchange makes two paths of one file system change places at once.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
