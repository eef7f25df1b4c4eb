package datasets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"

	"dgsbench/internal/ram"
	"dgsbench/internal/regular"
)

const (
	// blockSize is the number of bytes that a worker reads at once. They fit into
	// its cache.
	blockSize = 64 << 10
	// maxEvents limits the numbers of events and of nodes to int32.
	maxEvents = math.MaxInt32 / 2
)

// ReadFile reads a CSV file with that many workers (0: one per core). The
// result does not depend on their number.
//
// One pass finds the line ends, and so the size of all columns and the row at
// which every block of lines starts. Workers then parse the blocks straight into
// the columns, and nodes are renumbered block by block in file order. Beside the
// stream, memory holds a block per worker and the nodes' names.
//
// What cannot be read is reported as a *Damage.
func ReadFile(path string, layout Layout, workers int) (Stream, error) {
	f, size, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return Stream{}, err
	}
	defer f.Close()
	s, _, err := ReadColumns(f, path, size, layout, workers)
	return s, err
}

// ReadColumns is ReadFile for any source of size bytes; name stands for it in
// messages. It also returns the names of the feature columns.
func ReadColumns(r io.ReaderAt, name string, size int64, layout Layout, workers int) (s Stream, features []string, err error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return read(r, name, size, layout, workers, blockSize)
}

// read is ReadColumns with any size of blocks.
func read(r io.ReaderAt, name string, size int64, layout Layout, workers, blockSize int) (Stream, []string, error) {
	m, err := readBlocks(r, name, size, layout, workers, blockSize)
	if err == nil {
		err = m.finish()
	}
	if d := (*Damage)(nil); errors.As(err, &d) {
		d.File = name
	}
	if err != nil {
		return Stream{}, nil, err
	}
	return *m.out, m.schema.features(), nil
}

// readBlocks reads the events in file order.
func readBlocks(r io.ReaderAt, name string, size int64, layout Layout, workers, blockSize int) (*merger, error) {
	file, err := newSource(r, name, size)
	if err != nil {
		return nil, err
	}
	schema, start, err := file.schema(layout)
	if err != nil {
		return nil, err
	}
	blocks, err := file.blocks(start, blockSize)
	if err != nil {
		return nil, err
	}
	out, err := newColumns(file, schema, blocks)
	if err != nil {
		return nil, err
	}
	m := &merger{parser: parser{schema: schema, file: file, out: &out, nodeNames: newNodeNames(layout.Bipartite)}}
	return m, m.run(blocks, workers)
}

// newColumns allocates the stream, once. An event takes at least as many bytes
// as it has fields. So a file that is too short for its lines has a damaged
// line among the rows that are allocated.
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
