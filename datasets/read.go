package datasets

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"runtime"
	"slices"

	"dgsbench/internal/ram"
	"dgsbench/internal/regular"
)

const (
	// blockSize is the number of bytes that a worker reads at once. They fit into
	// its cache.
	blockSize = 64 << 10
	// MaxEvents is the largest number of events of a stream: with the nodes it fits int32.
	MaxEvents = math.MaxInt32 / 2
)

// ReadFile reads a CSV file with a worker per core. The result does not depend
// on their number.
//
// One pass finds the line ends, and so the size of all columns and the row at
// which every block of lines starts. Workers then parse the blocks straight into
// the columns, and nodes are renumbered block by block in file order. Beside the
// stream, memory holds a block per worker and the nodes' names.
//
// What cannot be read is reported as a *Damage.
func ReadFile(path string, layout Layout) (Stream, error) {
	f, size, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return Stream{}, err
	}
	defer f.Close()
	c, err := ReadColumns(f, path, size, layout)
	return c.Stream, err
}

// Columns is what the columns of a file hold.
type Columns struct {
	Stream
	// Features has the names of the feature columns.
	Features []string
	// Levels has the different texts of the features that are categories, in file
	// order, and nil for the others.
	Levels [][]string
	// Missing has the index in Layout.Missing of every feature, or -1.
	Missing []int
	// Layout is that of a file with only these columns, in which they go by name.
	Layout Layout
	Times  Times
	sides  []numbered
}

// numbered are the names of the nodes of one side, and the order in which they
// are numbered: nil if that is the order of the names.
type numbered struct {
	names *names
	order []int32
}

// Nodes yields the names of the nodes in the order of their numbers. A name is
// valid until the next one.
func (c Columns) Nodes() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, side := range c.sides {
			for i := range int32(side.names.len()) {
				if side.order != nil {
					i = side.order[i]
				}
				if !yield(side.names.get(i)) {
					return
				}
			}
		}
	}
}

// Used returns the indices of the columns that a layout uses in a file with
// columns of these names, ascending, and the layout of a file of only these, in
// which they go by name. The error is a *Damage without a file.
func (l Layout) Used(names []string) (columns []int, named Layout, err error) {
	s, err := l.match(names, len(names))
	if err != nil {
		return nil, l, err
	}
	for c, r := range s.roles {
		if r != roleSkip {
			columns = append(columns, c)
		}
	}
	return columns, s.named(), nil
}

// named returns the layout with the names of its columns in place of numbers.
func (s *schema) named() Layout {
	l := s.layout
	name := func(column string) string { return s.names[s.find(column)] }
	for _, column := range []*string{&l.Src, &l.Dst, &l.Time, &l.Label} {
		if *column != "" {
			*column = name(*column)
		}
	}
	for _, list := range []*[]string{&l.Features, &l.Categories, &l.Missing} {
		*list = slices.Clone(*list)
		for i, column := range *list {
			(*list)[i] = name(column)
		}
	}
	return l
}

// ReadColumns is ReadFile for any source of size bytes; name stands for it in
// messages.
func ReadColumns(r io.ReaderAt, name string, size int64, layout Layout) (Columns, error) {
	return read(r, name, size, layout, runtime.GOMAXPROCS(0), blockSize)
}

// read is ReadColumns with any number of workers and size of blocks.
func read(r io.ReaderAt, name string, size int64, layout Layout, workers, blockSize int) (out Columns, err error) {
	defer func() {
		if d, ok := errors.AsType[*Damage](err); ok {
			d.File = name
		}
	}()
	file, err := newSource(r, name, size)
	if err != nil {
		return Columns{}, err
	}
	schema, start, err := file.schema(layout)
	if err != nil {
		return Columns{}, err
	}
	blocks, err := file.blocks(start, blockSize)
	if err != nil {
		return Columns{}, err
	}
	if err := schema.newColumns(blocks); err != nil {
		return Columns{}, err
	}
	m := merger{schema: schema, nodeNames: newNodeNames(layout.Bipartite), levels: schema.newLevels()}
	if err := m.run(blocks, workers); err != nil {
		return Columns{}, err
	}
	if err := m.finish(); err != nil {
		return Columns{}, err
	}
	return m.columns(), nil
}

// newColumns allocates the stream, once. An event takes at least as many bytes
// as it has fields. So a file that is too short for its lines has a damaged
// line among the rows that are allocated.
func (s *schema) newColumns(blocks []block) error {
	last := blocks[len(blocks)-1]
	rows := last.row + last.rows
	if rows > MaxEvents {
		return fmt.Errorf("%s has %d events, more than the %d that fit a stream", s.file.name, rows, MaxEvents)
	}
	rows = min(rows, int(s.file.size)/len(s.roles)+1)
	if err := ram.Check(fmt.Sprintf("%s with %d events", s.file.name, rows), Bytes(rows, s.numFeat)); err != nil {
		return err
	}
	s.out = NewStream(rows, s.numFeat)
	if s.column(roleLabel) < 0 {
		for r := range s.out.Label {
			s.out.Label[r] = Unlabelled
		}
	}
	return nil
}
