// Package regular reads whole files: only regular ones of a plausible size, so
// that nothing waits for the writer of a pipe or reads a device for ever.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrOther is the error for anything but a regular file, such as a folder, a
// named pipe or a device, and for a file above the limit.
var ErrOther = errors.New("expected a regular file")

// Open opens a regular file of limit bytes at most and returns its size. It
// follows links. It never waits: for a pipe without a writer it returns an error
// at once.
func Open(path string, limit int64) (*os.File, int64, error) {
	info, err := os.Stat(path) // before opening, which may have an effect on a device
	if err != nil {
		return nil, 0, err
	}
	if err := check(path, info); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(path, info) // it may have been replaced
	}
	if err == nil && info.Size() > limit {
		err = fmt.Errorf("%s has %d bytes: %w of %d bytes at most", path, info.Size(), ErrOther, limit)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// Read reads a whole regular file of limit bytes at most.
func Read(path string, limit int64) ([]byte, error) {
	f, size, err := Open(path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err = data.ReadFrom(io.LimitReader(f, size)) // it may have been replaced by a longer or shorter one
	return data.Bytes(), err
}

// Replaceable returns the reason why a file cannot be written at path in one
// step: there must be a file or nothing.
func Replaceable(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.IsDir() {
		err = check(path, info)
	}
	return err
}

func check(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	what := "no regular file"
	switch mode := info.Mode(); {
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return fmt.Errorf("%s is %s: %w", path, what, ErrOther)
}
