package mmap

import (
	"fmt"
	"os"
)

// File is the content of a file. Writing to Data ends the process where it
// is mapped. It starts at an address that is a multiple of 8.
type File struct {
	Data   []byte
	mapped bool
}

// Open maps a file. An empty one is an error: there is nothing to map.
func Open(path string) (File, error) {
	info, err := os.Stat(path) // before it is opened: a named pipe would wait for a writer
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || info.Size() != int64(int(info.Size())) {
		return File{}, fmt.Errorf("%s is not a file with content that fits into memory", path)
	}
	return open(f, int(info.Size()))
}
