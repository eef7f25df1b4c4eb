//go:build darwin || freebsd || linux || netbsd || openbsd

package mmap

import (
	"os"
	"syscall"
)

func open(f *os.File, size int) (File, error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return File{}, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	return File{Data: data, mapped: true}, nil
}

// Close takes the file out of memory: Data must not be used any more.
func (f File) Close() error {
	if !f.mapped {
		return nil
	}
	return syscall.Munmap(f.Data)
}
