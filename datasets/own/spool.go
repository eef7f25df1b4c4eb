package own

import (
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
	magic  []byte
	unpack func(io.Reader) (io.ReadCloser, error)
}

var formats = []format{
	{"gzip", []byte{0x1f, 0x8b}, func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
	{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, func(r io.Reader) (io.ReadCloser, error) {
		d, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(mostWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
}

// plain is where the file's text can be read in any place: the file itself,
// or, if it is compressed, a file in the folder tmp.
func plain(file, tmp string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	start := make([]byte, 4)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return "", err
	}
	for _, c := range formats {
		if bytes.HasPrefix(start[:n], c.magic) {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return "", err
			}
			return c.spool(f, tmp)
		}
	}
	return file, nil
}

// spool unpacks the whole file: the reader looks at several places at once.
func (c format) spool(f *os.File, tmp string) (string, error) {
	r, err := c.unpack(f)
	if err != nil {
		return "", fmt.Errorf("%s is not a whole %s file: %w", f.Name(), c.name, err)
	}
	defer r.Close()
	out, err := os.CreateTemp(tmp, "plain-*.csv")
	if err != nil {
		return "", err
	}
	defer out.Close()
	in := &source{r: r}
	if _, err = io.Copy(out, in); in.err != nil {
		err = fmt.Errorf("%s is not a whole %s file: %w", f.Name(), c.name, in.err)
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
