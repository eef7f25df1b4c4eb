package own

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/ram"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

const (
	parquetMagic = "PAR1"
	// maxFields is the largest number of columns of a Parquet file, as of a CSV
	// file.
	maxFields = 100_000
	// maxPage is the largest size in bytes of a page, packed or not. Texts that
	// share prefixes may be that long each, so that batchRows, which are decoded at
	// once, are few.
	maxPage   = 64 << 20
	batchRows = 16
	// A footer of n bytes takes at most footerCost * n bytes of memory: its
	// smallest parts take one byte.
	footerCost = 400
)

// errParquet is the reason why a file is no Parquet file that can be read.
type errParquet struct {
	name string
	err  error
}

func (e *errParquet) Error() string {
	return fmt.Sprintf("%s is not a Parquet file that can be read: %v", e.name, e.err)
}
func (e *errParquet) Unwrap() error { return e.err }

// tooMuch is the panic of an allocator beyond its budget.
type tooMuch struct{ bytes int64 }

// A budget is an allocator with a limit of the bytes that are allocated at a time.
type budget struct {
	left, all int64
}

func (b *budget) Allocate(size int) []byte { return b.Reallocate(size, nil) }

func (b *budget) Reallocate(size int, old []byte) []byte {
	if size <= cap(old) {
		return old[:size]
	}
	if b.left -= int64(size - cap(old)); b.left < 0 {
		panic(tooMuch{b.all})
	}
	grown := make([]byte, size)
	copy(grown, old)
	return grown
}

func (b *budget) Free(old []byte) { b.left += int64(cap(old)) }

// A parquetFile is an open Parquet file.
type parquetFile struct {
	name    string
	in      *io.SectionReader
	reader  *file.Reader
	leaves  []*schema.Column
	columns []string // the names of the leaves; those of a struct are called STRUCT.FIELD
}

// openParquet reads the footer of a file of that size.
func openParquet(name string, r io.ReaderAt, size int64) (p *parquetFile, err error) {
	p = &parquetFile{name: name, in: io.NewSectionReader(r, 0, size)}
	defer p.rescue(&err)
	var tail [8]byte
	if size < int64(len(parquetMagic)+len(tail)) {
		return nil, p.bad(io.ErrUnexpectedEOF)
	}
	if _, err := p.in.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, err
	}
	footer := int64(binary.LittleEndian.Uint32(tail[:]))
	switch magic := string(tail[4:]); {
	case magic == "PARE":
		return nil, p.bad(errors.New("it is encrypted"))
	case magic != parquetMagic:
		return nil, p.bad(fmt.Errorf("it ends with %q, expected %q: it is not whole", magic, parquetMagic))
	case footer > size-int64(len(parquetMagic)+len(tail)):
		return nil, p.bad(errors.New("its footer is longer than the file"))
	}
	if err := ram.Check("the footer of "+name, footerCost*footer); err != nil {
		return nil, err
	}
	if err := p.open(0); err != nil {
		return nil, err
	}
	s := p.reader.MetaData().Schema
	if n := s.NumColumns(); n > maxFields {
		return nil, &datasets.Damage{File: name, Found: fmt.Sprintf("%d columns", n), Want: fmt.Sprintf("at most %d", maxFields)}
	}
	for i := range s.NumColumns() {
		p.leaves = append(p.leaves, s.Column(i))
		name := s.Column(i).Path()
		if s.Column(i).MaxRepetitionLevel() > 0 { // LIST.list.element
			name, _, _ = strings.Cut(name, ".")
		}
		p.columns = append(p.columns, name)
	}
	return p, nil
}

// open makes a reader whose columns, that many at once, share the free memory.
func (p *parquetFile) open(columns int) (err error) {
	const unknown, most, least, together = 4 << 30, 64 << 10, 4 << 10, 64 << 20
	free, known := ram.Usable()
	if !known {
		free = unknown
	}
	properties := parquet.NewReaderProperties(&budget{free / 2, free / 2})
	properties.BufferedStreamEnabled = true
	properties.MaxCompressedPageSize, properties.MaxUncompressedPageSize = maxPage, maxPage
	properties.BufferSize = int64(max(least, min(most, together/max(1, columns))))
	options := []file.ReadOption{file.WithReadProps(properties)}
	if p.reader != nil {
		options = append(options, file.WithMetadata(p.reader.MetaData()))
	}
	if p.reader, err = file.NewParquetReader(p.in, options...); err != nil {
		return p.bad(err)
	}
	return nil
}

func (p *parquetFile) bad(err error) error { return &errParquet{p.name, err} }

// rescue makes an error of a panic while a damaged file is decoded.
func (p *parquetFile) rescue(err *error) {
	switch r := recover().(type) {
	case nil:
	case tooMuch:
		*err = fmt.Errorf("%s: decoding its pages takes more than the %s of memory that may be used; write it with smaller pages or row groups",
			p.name, ram.Size(r.bytes))
	case runtime.Error:
		*err = p.bad(fmt.Errorf("it is damaged (%v)", r))
	case error:
		*err = p.bad(r)
	default:
		*err = p.bad(fmt.Errorf("it is damaged (%v)", r))
	}
}

// used returns the indices of the columns that a layout uses, which must be plain
// ones, and the layout of a file of only these.
func (p *parquetFile) used(layout datasets.Layout) (used []int, named datasets.Layout, err error) {
	used, named, err = layout.Used(p.columns)
	if err != nil {
		return nil, named, err
	}
	for _, c := range used {
		leaf := p.leaves[c]
		if strings.ContainsAny(p.columns[c], "\n\r") {
			return nil, named, &datasets.Damage{Name: p.columns[c], Found: "a line break in its name", Want: "a name of one line"}
		}
		if leaf.MaxRepetitionLevel() > 0 {
			return nil, named, &datasets.Damage{Name: p.columns[c], Found: "a list", Want: "one value a row"}
		}
		if what := unreadable(leaf); what != "" {
			return nil, named, &datasets.Damage{Name: p.columns[c], Found: what, Want: "numbers, text, dates or times"}
		}
	}
	return used, named, nil
}

// writeCSV writes the used columns as CSV, with a header line, and calls progress
// with the number of rows written since.
func (p *parquetFile) writeCSV(to io.Writer, used []int, progress func(int) error) (err error) {
	defer p.rescue(&err)
	out := bufio.NewWriterSize(to, 1<<20)
	var line []byte
	for i, c := range used {
		line = appendField(line, i, []byte(p.columns[c]))
	}
	if err := p.open(len(used)); err != nil {
		return err
	}
	row := 0
	for g := range p.reader.NumRowGroups() {
		group := p.reader.RowGroup(g)
		columns := make([]column, len(used))
		for i, c := range used {
			if columns[i], err = p.column(group, c); err != nil {
				return err
			}
		}
		for left := group.NumRows(); left > 0; {
			n := min(left, batchRows)
			for i, c := range used {
				if err := columns[i].read(n); err != nil {
					return p.bad(fmt.Errorf("column %s, row %d on: %w", p.columns[c], row+1, err))
				}
			}
			for range n {
				row++
				line = append(line, '\n')
				for i, c := range used {
					if line, err = columns[i].appendNext(line, i); err != nil {
						return &datasets.Damage{Row: row, Name: p.columns[c], Found: err.Error(), Want: "a value of one line"}
					}
				}
				if _, err := out.Write(line); err != nil {
					return err
				}
				line = line[:0]
			}
			if err := progress(int(n)); err != nil {
				return err
			}
			left -= n
		}
		for i, c := range used {
			if err := columns[i].close(); err != nil {
				return p.bad(fmt.Errorf("column %s: %w", p.columns[c], err))
			}
		}
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	return out.Flush()
}

// column returns a reader of column c in a row group.
func (p *parquetFile) column(group *file.RowGroupReader, c int) (column, error) {
	reader, err := group.Column(c)
	if err != nil {
		return nil, p.bad(fmt.Errorf("column %s: %w", p.columns[c], err))
	}
	return newColumn(reader, p.leaves[c]), nil
}

// appendField appends a field of a line, in quotes where it needs them.
func appendField(line []byte, i int, field []byte) []byte {
	if i > 0 {
		line = append(line, ',')
	}
	plain := len(field) > 0 && field[0] > ' ' && field[len(field)-1] > ' ' && !slices.ContainsFunc(field, func(b byte) bool { return b == ',' || b == '"' })
	if plain || len(field) == 0 {
		return append(line, field...)
	}
	line = append(line, '"')
	for _, b := range field {
		if b == '"' {
			line = append(line, b)
		}
		line = append(line, b)
	}
	return append(line, '"')
}
