package own

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// mostWindow is what zstd's --long=31 needs: the most memory that a file may
// ask for.
const mostWindow = 1 << 31

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
		d, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(mostWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
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

// spool unpacks the whole file of that name into the folder tmp: the reader
// looks at several places at once.
func (c format) spool(from io.Reader, name, tmp string) (path string, err error) {
	in := &source{}
	defer func() {
		if in.err != nil {
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
	_, err = io.Copy(out, in)
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
