package own

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"dgsbench/internal/disk"
	"dgsbench/internal/ram"

	"github.com/klauspost/compress/zstd"
)

// mostWindow is what zstd's --long=31 needs: the most memory that a file may
// ask for.
const mostWindow = 1 << 31

// What a compressed file may take. A small file may unpack to alwaysTaken, and
// a larger one to mostRatio times its size, but to no more than half of the
// free disk: its events are written once more.
const (
	alwaysTaken = 64 << 20
	mostRatio   = 200
)

// bound returns the largest size, in bytes, that a file of packed compressed
// bytes may unpack to, and the reason for that limit.
func bound(packed, free int64, known bool) (most int64, why string) {
	most, why = alwaysTaken, "the most for a small file"
	if packed > alwaysTaken/mostRatio {
		most, why = mostRatio*packed, fmt.Sprintf("%d times its size", mostRatio)
	}
	if known && free/2 < most {
		most, why = free/2, "half of the free disk"
	}
	return most, why
}

// format is a way to compress a file, told by its first bytes.
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

// window is the largest one that has room: a decoder holds it and as much
// again, of which whole blocks are handed on.
func window(free int64, known bool) uint64 {
	if !known {
		return mostWindow
	}
	return min(mostWindow, max(zstd.MinWindowSize, uint64(free)/2))
}

// formatOf is the format of a file with that start; ok is false for text.
func formatOf(start []byte) (_ format, ok bool) {
	for _, f := range formats {
		if bytes.HasPrefix(start, []byte(f.magic)) {
			return f, true
		}
	}
	return format{}, false
}

// spool unpacks the whole file of that name and size into the folder tmp: the
// reader looks at several places at once.
func (c format) spool(from io.Reader, size int64, name, tmp string) (path string, err error) {
	in := &source{}
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
		return "", err
	}
	defer r.Close()
	in.r = r
	out, err := os.CreateTemp(tmp, "plain-*.csv")
	if err != nil {
		return "", err
	}
	defer out.Close()
	free, known := disk.Free(tmp)
	most, why := bound(size, free, known)
	n, err := io.CopyN(out, in, most+1)
	switch {
	case err == io.EOF:
		err = nil
	case n > most:
		err = fmt.Errorf("%s has %d bytes and unpacks to more than %d (%s); unpack it with %s and import that", name, size, most, why, c.name)
	}
	return out.Name(), errors.Join(err, out.Close())
}

// source keeps the error of reading apart from those of writing.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// members reads the members of a gzip file, one behind the other, and tells
// what else follows from a damaged member.
type members struct {
	*gzip.Reader
	from *bufio.Reader
}

var errJunk = errors.New("something else is behind the compressed data, which `gzip -dc FILE > NEW` leaves out")

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
