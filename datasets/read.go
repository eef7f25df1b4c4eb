package datasets

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"

	"dgsbench/internal/ram"
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
	f, size, err := OpenRegular(path)
	if err != nil {
		return Stream{}, err
	}
	defer f.Close()
	s, _, err := ReadColumns(f, path, size, layout, workers)
	return s, err
}

// OpenRegular opens a file that can be read in several places at once, and
// says how many bytes it has.
func OpenRegular(path string) (f *os.File, size int64, err error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for a writer
	switch {
	case err != nil:
		return nil, 0, err
	case info.IsDir():
		return nil, 0, fmt.Errorf("%s is a folder, expected a file", path)
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file, expected one: it is read in several places at once", path)
	}
	f, err = os.Open(path)
	return f, info.Size(), err
}

// ReadColumns is ReadFile of any source of so many bytes, which has that name
// in messages. It also says which columns are the features.
func ReadColumns(r io.ReaderAt, name string, size int64, layout Layout, workers int) (s Stream, features []string, err error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return read(r, name, size, layout, workers, blockSize)
}

// read is ReadColumns with blocks of another size.
func read(r io.ReaderAt, name string, size int64, layout Layout, workers, blockSize int) (Stream, []string, error) {
	file, err := newSource(r, name, size)
	if err != nil {
		return Stream{}, nil, err
	}
	schema, start, err := file.schema(layout)
	if err != nil {
		return Stream{}, nil, err
	}
	blocks, err := file.blocks(start, blockSize)
	if err != nil {
		return Stream{}, nil, err
	}
	out, err := newColumns(file, schema, blocks)
	if err != nil {
		return Stream{}, nil, err
	}
	merge := merger{parser: newParser(file, schema, &out, 0)}
	merge.tables = newTables(schema.bipartite)
	if err := merge.run(blocks, workers); err != nil {
		return Stream{}, nil, err
	}
	if err := merge.finish(); err != nil {
		return Stream{}, nil, err
	}
	return out, schema.features(), nil
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
	if err := ram.Check(fmt.Sprintf("%s with %d events", file.name, rows), Bytes(rows, s.numFeat)); err != nil {
		return Stream{}, err
	}
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
