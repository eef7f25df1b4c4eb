package own

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"dgsbench/internal/ram"

	"github.com/klauspost/compress/zstd"
	"github.com/shirou/gopsutil/v4/disk"
)

const (
	// maxWindow is the window of zstd --long=31: the largest one in bytes that a
	// file may need.
	maxWindow = 1 << 31
	// A small file may unpack to alwaysAllowed bytes, and a larger one to
	// maxRatio times its size, but not to more than half of the free disk: its
	// events are written once more.
	alwaysAllowed = 64 << 20
	maxRatio      = 200
)

// bound returns the largest size, in bytes, that a file of packed compressed
// bytes may unpack to, and the reason for that limit.
func bound(packed, free int64, known bool) (limit int64, why string) {
	limit, why = alwaysAllowed, "the most for a small file"
	if packed > alwaysAllowed/maxRatio {
		limit, why = maxRatio*packed, fmt.Sprintf("%d times its size", maxRatio)
	}
	if known && free/2 < limit {
		limit, why = free/2, "half of the free disk"
	}
	return limit, why
}

// format is a compression format, recognised by the first bytes of a file.
type format struct {
	name   string
	magic  string
	unpack func(*bufio.Reader) (io.ReadCloser, error)
}

const gzipMagic = "\x1f\x8b"

var formats = []format{
	{"gzip", gzipMagic, func(r *bufio.Reader) (io.ReadCloser, error) { return newMembers(r) }},
	{"zstd", "\x28\xb5\x2f\xfd", func(r *bufio.Reader) (io.ReadCloser, error) {
		d, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(window(ram.Usable())))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
}

// window returns the largest window that fits into the free memory: a decoder
// needs twice its size.
func window(free int64, known bool) uint64 {
	if !known {
		return maxWindow
	}
	return min(maxWindow, max(zstd.MinWindowSize, uint64(free)/2))
}

// formatOf returns the format of a file with that start; ok is false for text.
func formatOf(start []byte) (_ format, ok bool) {
	for _, f := range formats {
		if bytes.HasPrefix(start, []byte(f.magic)) {
			return f, true
		}
	}
	return format{}, false
}

// unpackTo unpacks a whole file with that name and size into one in the folder
// dir, because datasets reads files at several offsets at once. It returns that
// file, open, and its size.
func (c format) unpackTo(dir string, from io.Reader, size int64, name string) (out *os.File, n int64, err error) {
	in := &errorReader{}
	defer func() {
		switch {
		case errors.Is(in.err, zstd.ErrWindowSizeExceeded), errors.Is(in.err, zstd.ErrDecoderSizeExceeded):
			free, _ := ram.Usable()
			err = fmt.Errorf("%s: unpacking it takes a window of more than %s of memory, %s are free; pack it with a smaller one (zstd --long=27), or unpack it first",
				name, ram.Size(int64(window(ram.Usable()))), ram.Size(free))
		case in.err != nil:
			err = fmt.Errorf("%s is not a whole %s file: %w", name, c.name, in.err)
		}
	}()
	r, err := c.unpack(bufio.NewReaderSize(from, 1<<16))
	if err != nil {
		in.err = err
		return nil, 0, err
	}
	defer r.Close()
	in.r = r
	if out, err = os.CreateTemp(dir, "plain-*.csv"); err != nil {
		return nil, 0, err
	}
	free, known := freeDisk(dir)
	limit, why := bound(size, free, known)
	n, err = io.CopyN(out, in, limit+1)
	switch {
	case err == io.EOF:
		return out, n, nil
	case n > limit:
		err = fmt.Errorf("%s has %d bytes and unpacks to more than %d (%s); unpack it with %s and import that", name, size, limit, why, c.name)
	}
	return nil, 0, errors.Join(err, out.Close())
}

// freeDisk returns the number of bytes that an ordinary user can still write to
// the file system of a folder. It is not known on some systems.
func freeDisk(dir string) (bytes int64, known bool) { return freeOf(disk.Usage(dir)) }

func freeOf(usage *disk.UsageStat, err error) (bytes int64, known bool) {
	// Free is huge where a full disk's reserve makes it negative.
	if err != nil || usage.Total == 0 || usage.Free > usage.Total {
		return 0, false
	}
	return int64(min(usage.Free, math.MaxInt64/2)), true
}

// errorReader keeps the error of reading apart from those of writing.
type errorReader struct {
	r   io.Reader
	err error
}

func (e *errorReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil && err != io.EOF {
		e.err = err
	}
	return n, err
}

// members reads the members of a gzip file, one after the other. Data after
// them that is no member is an error of its own.
type members struct {
	*gzip.Reader
	from *bufio.Reader
}

var errJunk = errors.New("other data follows the compressed data, which `gzip -dc FILE > NEW` leaves out")

func newMembers(r *bufio.Reader) (*members, error) {
	m, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	m.Multistream(false)
	return &members{m, r}, nil
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if err != io.EOF {
		return n, err
	}
	next, err := m.from.Peek(len(gzipMagic))
	switch {
	case len(next) == 0:
		return n, err // the end of the file
	case string(next) != gzipMagic:
		return n, errJunk
	}
	if err := m.Reset(m.from); err != nil {
		return n, err
	}
	m.Multistream(false)
	return n, nil
}
