package own

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/regular"
)

// Stdin is the file name that stands for standard input.
const Stdin = "-"

// displayName returns what messages call a file.
func displayName(file string) string {
	if file == Stdin {
		return "standard input"
	}
	return file
}

// inputs are the open files of a source, as one CSV file.
type inputs struct {
	layout datasets.Layout // of that file
	stdin  io.Reader       // what Stdin stands for
	pieces []piece
	temp   []*os.File // to close and remove
	open   []*os.File // to close
}

// close closes all files and removes the temporary ones.
func (in *inputs) close() (err error) {
	for _, f := range in.open {
		err = errors.Join(err, f.Close())
	}
	for _, f := range in.temp {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return err
}

// openAll opens the files of a source. It makes plain CSV files of those that are
// none in the folder tmp, because datasets reads files at several offsets at once.
func (src Source) openAll(m *meter, tmp string) (in *inputs, err error) {
	in = &inputs{layout: src.layout(), stdin: src.Input}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	for i, name := range src.Files {
		p, err := in.add(m, tmp, name)
		if err != nil {
			return in, err
		}
		if i > 0 {
			if err := p.follow(in.pieces[0], in.layout.NoHeader); err != nil {
				return in, err
			}
		}
		if i == 0 || p.start < p.end { // a header alone adds nothing
			in.pieces = append(in.pieces, p)
		}
	}
	return in, nil
}

// add opens a file, and makes CSV of it if it is something else.
func (in *inputs) add(m *meter, tmp, name string) (p piece, err error) {
	p.name = displayName(name)
	f, size, err := in.openFile(m, tmp, name)
	if err != nil {
		return p, err
	}
	p.r, p.end = f, size
	start := make([]byte, min(size, 4))
	if _, err := f.ReadAt(start, 0); err != nil {
		return p, err
	}
	if packed, ok := formatOf(start); ok {
		m.begin(unpacked, size)
		out, n, err := packed.unpackTo(tmp, io.NewSectionReader(meteredFile{f, m}, 0, size), size, p.name)
		if err != nil {
			return p, err
		}
		in.temp = append(in.temp, out)
		p.r, p.end = out, n
		if _, err := out.ReadAt(start, 0); err != nil && err != io.EOF {
			return p, err
		}
	}
	if string(start) == parquetMagic {
		return p, in.addParquet(m, tmp, &p)
	}
	return p, p.trim()
}

// openFile opens a file. Standard input is copied into the folder tmp.
func (in *inputs) openFile(m *meter, tmp, name string) (f *os.File, size int64, err error) {
	if name != Stdin {
		if f, size, err = regular.Open(name, math.MaxInt64); err == nil {
			in.open = append(in.open, f)
		}
		return f, size, err
	}
	if f, err = os.CreateTemp(tmp, "input-*"); err != nil {
		return nil, 0, err
	}
	in.temp = append(in.temp, f)
	free, known := freeDisk(tmp)
	limit := int64(math.MaxInt64)
	if known {
		limit = free / 2
	}
	full := fmt.Errorf("standard input has more than %d bytes, half of the free disk; give the file's name instead", limit)
	w := &boundedWriter{w: f, left: limit, err: full}
	done := make(chan error, 1)
	go func() { // which may wait for ever
		_, err := io.Copy(w, in.stdin)
		done <- err
	}()
	select {
	case err := <-done:
		return f, limit - w.left, err
	case <-m.ctx.Done():
		return nil, 0, m.ctx.Err()
	}
}

// addParquet makes CSV of the columns of a Parquet file that are used.
func (in *inputs) addParquet(m *meter, tmp string, p *piece) error {
	p.parquet = true
	packed := p.end
	pf, err := openParquet(p.name, p.r, packed)
	if err != nil {
		return err
	}
	if in.layout.NoHeader {
		return fmt.Errorf("%s is a Parquet file, which names its columns: expected no --no-header", p.name)
	}
	used, named, err := pf.used(in.layout)
	if err != nil {
		return rowsOf(err, *p)
	}
	in.layout, in.layout.Separator = named, datasets.Comma
	out, err := os.CreateTemp(tmp, "plain-*.csv")
	if err != nil {
		return err
	}
	in.temp = append(in.temp, out)
	free, known := freeDisk(tmp)
	limit, why := bound(packed, free, known)
	m.begin(unpacked, pf.reader.NumRows())
	w := &boundedWriter{w: out, left: limit, err: fmt.Errorf("%s has %d bytes and is more than %d as text (%s); write it as CSV and import that", p.name, packed, limit, why)}
	if err := pf.writeCSV(w, used, m.add); err != nil {
		return rowsOf(err, *p)
	}
	p.r, p.end = out, limit-w.left
	return p.trim()
}

// boundedWriter returns an error when more bytes are written than its limit.
type boundedWriter struct {
	w    io.Writer
	left int64
	err  error
}

func (b *boundedWriter) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		return 0, b.err
	}
	b.left -= int64(len(p))
	return b.w.Write(p)
}

// piece is a part of the CSV file that the files of a source make: the bytes from
// start to end of one of them.
type piece struct {
	name       string
	parquet    bool
	r          io.ReaderAt
	start, end int64
	headers    int // lines before start
}

// trim leaves out the line ends at the end.
func (p *piece) trim() error {
	buf := make([]byte, 4096)
	for p.end > p.start {
		text := buf[:min(int64(len(buf)), p.end-p.start)]
		if _, err := p.r.ReadAt(text, p.end-int64(len(text))); err != nil && err != io.EOF {
			return err
		}
		kept := bytes.TrimRight(text, "\r\n")
		p.end -= int64(len(text) - len(kept))
		if len(kept) > 0 {
			return nil
		}
	}
	return nil
}

// longestHeader is that of the lines of a CSV file.
const longestHeader = 16 << 20

// header returns the first line of a piece, and the offset of the next one.
func (p piece) header() (line []byte, next int64, err error) {
	const step = 64 << 10
	for len(line) < longestHeader {
		part := make([]byte, min(step, p.end-int64(len(line))))
		if _, err := p.r.ReadAt(part, int64(len(line))); err != nil && err != io.EOF {
			return nil, 0, err
		}
		if i := bytes.IndexByte(part, '\n'); i >= 0 {
			line = append(line, part[:i]...)
			next = int64(len(line)) + 1
			break
		}
		if line = append(line, part...); int64(len(line)) == p.end {
			next = p.end
			break
		}
	}
	return bytes.TrimPrefix(bytes.TrimSuffix(line, []byte("\r")), []byte("\ufeff")), next, nil
}

// follow makes p a piece that follows the first one: of its kind, and without the
// header, which must be the same.
func (p *piece) follow(first piece, noHeader bool) error {
	if p.parquet != first.parquet {
		kinds := map[bool]string{false: "CSV", true: "Parquet"}
		return fmt.Errorf("%s is a %s file, expected %s like %s", p.name, kinds[p.parquet], kinds[first.parquet], first.name)
	}
	if noHeader {
		return nil
	}
	want, _, err := first.header()
	if err != nil {
		return err
	}
	got, next, err := p.header()
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return &datasets.Damage{File: p.name, Line: 1, Found: "the columns " + short(got), Want: "those of " + first.name + ", " + short(want)}
	}
	p.start, p.headers = min(next, p.end), 1
	return nil
}

// short returns the start of a line in quotes.
func short(line []byte) string {
	const limit = 200
	if len(line) > limit {
		return fmt.Sprintf("%q...", line[:limit])
	}
	return fmt.Sprintf("%q", line)
}

// joined are pieces that are read as one file, with a line end between two of
// them.
type joined []piece

// size returns the number of bytes.
func (j joined) size() int64 {
	n := int64(len(j) - 1)
	for _, p := range j {
		n += p.end - p.start
	}
	return n
}

// ReadAt implements io.ReaderAt.
func (j joined) ReadAt(buf []byte, off int64) (n int, err error) {
	for i, p := range j {
		size := p.end - p.start
		if off < size && n < len(buf) {
			part := buf[n:min(len(buf), n+int(min(size-off, int64(len(buf)))))]
			k, err := p.r.ReadAt(part, p.start+off)
			if n += k; k < len(part) {
				return n, cmp.Or(err, io.ErrUnexpectedEOF)
			}
			off += int64(k)
		}
		if off == size && n < len(buf) && i < len(j)-1 {
			buf[n] = '\n'
			n++
			off++
		}
		off -= size + 1
	}
	if n < len(buf) {
		return n, io.EOF
	}
	return n, nil
}

// place corrects the file and the line of a damage in the joined file.
func (j joined) place(err error) error {
	var d *datasets.Damage
	if !errors.As(err, &d) {
		return err
	}
	before := 0 // lines of the pieces before
	for i, p := range j {
		lines := 0
		if i < len(j)-1 {
			n, err := p.lines()
			if err != nil {
				return err
			}
			lines = n
		}
		if i == len(j)-1 || d.Line <= before+lines {
			d.File, d.Line = p.name, d.Line-before+p.headers
			return rowsOf(err, p)
		}
		before += lines
	}
	return err
}

// lines returns the number of lines of a piece.
func (p piece) lines() (n int, err error) {
	if p.start == p.end {
		return 1, nil // an empty line
	}
	buf := make([]byte, 64<<10)
	in := io.NewSectionReader(p.r, p.start, p.end-p.start)
	for {
		k, err := in.Read(buf)
		n += bytes.Count(buf[:k], []byte("\n"))
		if err == io.EOF {
			return n + 1, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// rowsOf makes the place of a damage that of a Parquet file, which has rows and
// no lines, and columns that go by name.
func rowsOf(err error, p piece) error {
	var d *datasets.Damage
	if errors.As(err, &d) {
		d.File = p.name
		if p.parquet {
			d.Row, d.Line, d.Column = max(d.Row, d.Line-1), 0, 0
			if d.Row > 0 {
				d.Want = strings.Replace(d.Want, "the last line's", "the last row's", 1)
			}
		}
	}
	return err
}
