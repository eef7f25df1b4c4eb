package datasets

import (
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
	s, _, err := ReadColumns(path, path, layout, workers)
	return s, err
}

// ReadColumns is ReadFile that calls the file by another name in messages,
// and says which columns are the features.
func ReadColumns(path, name string, layout Layout, workers int) (s Stream, features []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Stream{}, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Stream{}, nil, err
	}
	if !info.Mode().IsRegular() {
		return Stream{}, nil, fmt.Errorf("%s is not a regular file, which is read in several places at once", name)
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return read(f, name, info.Size(), layout, workers, blockSize)
}

// read is ReadColumns on anything.
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
