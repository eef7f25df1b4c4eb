package datasets

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
)

// blockSize is how many bytes a worker reads at once: they stay in its cache.
const blockSize = 64 << 10

// maxEvents keeps the numbers of events and of nodes within int32.
const maxEvents = math.MaxInt32 / 2

// ReadFile reads a CSV file, with so many workers (0: one a core). The
// result does not depend on their number.
//
// The file is scanned once for line ends, which fixes the size of all
// columns and the row at which every block of lines starts. Workers then
// parse the blocks straight into the columns, and nodes are renumbered block
// by block in file order. Beside the stream itself, memory holds a block a
// worker and the nodes' names.
//
// What cannot be read is reported as a *Damage.
func ReadFile(path string, layout Layout, workers int) (Stream, error) {
	f, err := os.Open(path)
	if err != nil {
		return Stream{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Stream{}, err
	}
	if !info.Mode().IsRegular() {
		return Stream{}, fmt.Errorf("%s is not a regular file, which is read in several places at once", path)
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return read(f, path, info.Size(), layout, workers, blockSize)
}

// read is ReadFile on anything.
func read(r io.ReaderAt, name string, size int64, layout Layout, workers, blockSize int) (Stream, error) {
	file, err := newSource(r, name, size)
	if err != nil {
		return Stream{}, err
	}
	schema, start, err := file.header(layout)
	if err != nil {
		return Stream{}, err
	}
	blocks, err := file.blocks(start, blockSize)
	if err != nil {
		return Stream{}, err
	}
	out, err := newColumns(file, schema, blocks)
	if err != nil {
		return Stream{}, err
	}
	merge := merger{parser: newParser(file, schema, &out, 0)}
	merge.tables = newTables(schema.bipartite)
	if err := merge.run(blocks, workers); err != nil {
		return Stream{}, err
	}
	if err := merge.finish(); err != nil {
		return Stream{}, err
	}
	return out, nil
}

// header reads the first two lines. start is where the second one starts.
func (s *source) header(layout Layout) (_ *schema, start int64, err error) {
	damage := func(d *Damage) error {
		d.File = s.name
		return d
	}
	text, start, err := s.line(0, 1)
	if err != nil {
		return nil, 0, err
	}
	if text = bytes.TrimPrefix(text, []byte("\ufeff")); len(bytes.TrimSpace(text)) == 0 {
		return nil, 0, damage(&Damage{Line: 1, Found: "nothing", Want: "a header line"})
	}
	names, err := cutAll(text)
	if err != nil {
		return nil, 0, damage(&Damage{Line: 1, Found: quoted(text), Want: err.Error()})
	}
	if start == s.size {
		return nil, 0, damage(&Damage{Line: 2, Found: "the end of the file", Want: "at least one event"})
	}
	first, _, err := s.line(start, 2)
	if err != nil {
		return nil, 0, err
	}
	fields, _ := cutAll(first) // what is wrong with them is found when parsing
	schema, d := layout.match(names, len(fields))
	if d != nil {
		return nil, 0, damage(d)
	}
	return schema, start, nil
}

// newColumns allocates the stream, once. An event of so many fields takes as
// many bytes or more, so that a file too short for its lines has a damaged
// one among those that would fit; rows after that are not worth memory.
func newColumns(file *source, s *schema, blocks []block) (Stream, error) {
	last := blocks[len(blocks)-1]
	rows := last.row + last.rows
	if rows > maxEvents {
		return Stream{}, fmt.Errorf("%s has %d events, more than the %d that fit a stream", file.name, rows, maxEvents)
	}
	rows = min(rows, int(file.size)/len(s.roles)+1)
	out := Stream{
		Src: make([]int32, rows), Dst: make([]int32, rows),
		Time: make([]float64, rows), Label: make([]int8, rows),
		Feat: make([]float32, rows*s.numFeat), NumFeat: s.numFeat,
	}
	if s.column(roleLabel) < 0 {
		for r := range out.Label {
			out.Label[r] = Unlabelled
		}
	}
	return out, nil
}
