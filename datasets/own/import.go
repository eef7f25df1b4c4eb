// Package own makes datasets of a user's files. Import turns an event log
// into a folder below the data folder, and Use makes such folders known by
// their names, like the datasets that come with the benchmark.
//
// The folder DATA/NAME holds
//
//	events.csv      the imported events: nodes are numbers, times are seconds
//	                from the first event, unused columns are left out
//	nodes.csv       the names of the nodes in the source
//	levels.csv      the texts of categories, and the columns that they became
//	dataset.yaml    how it is split, what is in it, and how the source was read
//	.cache          the same events for fast loading; it may be removed
//
// It appears all at once, or not at all.
package own

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"dgsbench/datasets"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/names"
	"dgsbench/internal/strictyaml"
)

// Source is the input of Import.
type Source struct {
	// Files are CSV, also compressed by gzip or zstd, or Parquet: one stream, in
	// this order. Stdin is one that is read from Input.
	Files  []string
	Input  io.Reader
	Layout datasets.Layout // without Categories and Missing
	Name   string          // of the dataset
	Title  string          // in listings and tables; the name if it is empty
	Split  datasets.SplitRule
	// Categories are columns of text that become columns of 0 and 1.
	Categories Categories
	// Missing takes the place of missing values in columns of numbers, and
	// MissingOf that of single columns. Without them, a missing value is damage.
	Missing   *Fill
	MissingOf []ColumnFill
	// Replace replaces a dataset of that name that was imported before, once the
	// new one is whole.
	Replace bool
	// Progress is called with the share of the work that is done, 0 to 1; it may
	// be nil.
	Progress func(share float64)
}

// ColumnFill is the Fill of one column.
type ColumnFill struct {
	Column string
	Fill
}

// layout returns the layout of the files.
func (src Source) layout() datasets.Layout {
	l := src.Layout
	l.Categories, l.AnyMissing = src.Categories.Columns, src.Missing != nil
	for _, m := range src.MissingOf {
		l.Missing = append(l.Missing, m.Column)
	}
	return l
}

// name returns what messages call the files together.
func (src Source) name() string {
	name := displayName(src.Files[0])
	if more := len(src.Files) - 1; more > 0 {
		name = fmt.Sprintf("%s and %d more", name, more)
	}
	return name
}

// Imported is a dataset that was imported, and what its columns were made of.
type Imported struct {
	*datasets.Loaded
	// Columns says in a line each what columns of text and those with missing
	// values became.
	Columns []string
}

// DefaultSplit is TGN's.
var DefaultSplit = datasets.ByTime(0.70, 0.85)

// Import makes the dataset of that name below the data folder, which must not
// have it yet, without Replace. What is wrong with a file is reported as a
// *datasets.Damage, with the file's name and line. When ctx is done, the
// import ends and leaves nothing but what was there.
//
// A labelled source must have events of both classes in each part, or
// classification could not be learnt or measured.
func Import(ctx context.Context, dir string, src Source) (*Imported, error) {
	src.Title = cmp.Or(src.Title, src.Name)
	if err := src.check(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := atomicfile.Root(dir).Clean(); err != nil {
		return nil, err
	}
	var l *Imported
	put := atomicfile.Root(dir).Folder
	if src.Replace {
		put = atomicfile.Root(dir).ReplaceFolder
	}
	err := put(filepath.Join(dir, src.Name), func(tmp string) (err error) {
		l, err = src.make(&meter{ctx: ctx, report: src.Progress}, tmp)
		return err
	})
	if err != nil && ctx.Err() != nil { // whatever failed for that reason
		return nil, ctx.Err()
	}
	return l, err
}

// check finds what can be wrong before the file is read.
func (src Source) check(dir string) error {
	path := filepath.Join(dir, src.Name)
	switch _, err := os.Lstat(path); {
	case names.Check(src.Name) != nil:
		return fmt.Errorf("the dataset: %w", names.Check(src.Name))
	case names.CheckTitle(src.Title) != nil:
		return fmt.Errorf("the title: %w; --title gives another", names.CheckTitle(src.Title))
	case datasets.BuiltIn(src.Name):
		return fmt.Errorf("the benchmark has a dataset %s of its own, expected another name", src.Name)
	case err == nil && src.Replace:
		if err := checkOurs(dir, src.Name); err != nil {
			return err
		}
	case err == nil:
		return fmt.Errorf("%s exists already; --replace imports the dataset again, and `bench data remove %s` removes it", path, src.Name)
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	if n := src.Categories; len(n.Columns) > 0 && (n.OneHot < 0 || n.OneHot > maxFields || n.Hashed < 1 || n.Hashed > maxFields) {
		return fmt.Errorf("categories with at most %d columns of their own and %d hashed ones, expected --one-hot from 0 and --hashed from 1, to %d", n.OneHot, n.Hashed, maxFields)
	}
	return src.Split.Check()
}

// Measured shares of the work that are done after its phases.
const (
	unpacked = 0.2
	wasRead  = 0.45
	written  = 0.85
)

// make writes the dataset's files into dir, and then reads them as every later
// command does.
func (src Source) make(m *meter, dir string) (*Imported, error) {
	if err := src.write(m, dir); err != nil {
		return nil, err
	}
	m.begin(1, 1)
	l, err := src.load(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be imported: what was written of it cannot be read again: %w", src.name(), err)
	}
	return l, m.add(1)
}

// load reads the files, which are still in a temporary folder.
func (src Source) load(dir string) (*Imported, error) {
	d, err := readDescription(filepath.Join(dir, descriptionFile))
	if err != nil {
		return nil, err
	}
	if err := d.checkSealed(dir); err != nil {
		return nil, err
	}
	l, err := d.dataset(filepath.Base(dir)).Load(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	l.Dataset = d.dataset(src.Name)
	out := &Imported{Loaded: l}
	for _, c := range d.Categories {
		out.Columns = append(out.Columns, c.String())
	}
	for _, f := range d.Missing {
		out.Columns = append(out.Columns, f.String())
	}
	return out, nil
}

// write writes the files.
func (src Source) write(m *meter, dir string) error {
	c, err := src.read(m, dir)
	if err != nil {
		return err
	}
	if err := src.checkParts(c.Stream); err != nil {
		return err
	}
	s, features, err := src.makeColumns(c)
	if err != nil {
		return err
	}
	d := description{
		Version: formatVersion, Title: src.Title, Split: src.Split, Bipartite: src.Layout.Bipartite,
		Labelled: src.Layout.Label != "", Features: features.features, Counts: s.Counts(),
		Categories: features.categories, Missing: features.missing,
		Source: &origin{Src: c.Layout.Src, Dst: c.Layout.Dst, Time: c.Layout.Time, Label: c.Layout.Label, Features: c.Features, Times: c.Times},
	}
	m.begin(written, int64(s.Len()+s.NumNodes))
	if d.SHA256, err = writeSealed(filepath.Join(dir, eventsFile), func(w io.Writer) error {
		return writeEvents(w, s, d.layout(), m.add)
	}); err != nil {
		return err
	}
	if d.NodesSHA256, err = writeSealed(filepath.Join(dir, nodesFile), func(w io.Writer) error {
		return writeNodes(w, c, m.add)
	}); err != nil {
		return err
	}
	if len(d.Categories) > 0 {
		if d.LevelsSHA256, err = writeSealed(filepath.Join(dir, levelsFile), func(w io.Writer) error {
			return writeLevels(w, features.levels)
		}); err != nil {
			return err
		}
	}
	yaml, err := strictyaml.Encode(d, nil)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, descriptionFile), yaml)
}

// writeSealed writes a file and returns its checksum.
func writeSealed(path string, fill func(io.Writer) error) (string, error) {
	sum := sha256.New()
	err := atomicfile.WriteTo(path, func(w io.Writer) error { return fill(io.MultiWriter(w, sum)) })
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// read reads the files.
func (src Source) read(m *meter, tmp string) (c datasets.Columns, err error) {
	in, err := src.openAll(m, tmp)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	file := joined(in.pieces)
	m.begin(wasRead, 2*file.size()) // once for the lines, once for their fields
	c, err = datasets.ReadColumns(meteredFile{file, m}, src.name(), file.size(), in.layout)
	return c, file.place(err)
}

// checkParts returns an error for a part without events, or without events of
// both classes.
func (src Source) checkParts(s datasets.Stream) error {
	for i, part := range src.Split.Split(s).Parts(s) {
		name := datasets.PartNames[i]
		if part.Len() == 0 {
			hint := ""
			if src.Split.By != "row" {
				hint = "; `--split-by row` splits by the number of events"
			}
			return fmt.Errorf("%s: the %s part has no events (split %s), expected some%s", src.name(), name, src.Split, hint)
		}
		var lacks []string
		if !slices.Contains(part.Label, 1) {
			lacks = append(lacks, "no positives (label 1)")
		}
		if !slices.Contains(part.Label, 0) {
			lacks = append(lacks, "no negatives (label 0)")
		}
		if src.Layout.Label != "" && len(lacks) > 0 {
			return fmt.Errorf("%s: column %s: %s among the %d events of the %s part (split %s), expected both classes; without a label column the file is good for link prediction",
				src.name(), src.Layout.Label, strings.Join(lacks, " and "), part.Len(), name, src.Split)
		}
	}
	return nil
}

// meter reports the progress of an import, and ends it with its context: every
// part of the work calls add once in a while.
type meter struct {
	ctx    context.Context
	report func(share float64) // of the whole, 0 to 1; may be nil

	mu         sync.Mutex
	share, end float64 // of the whole: before the present phase, and with it
	done, all  int64   // units of the present phase
}

// begin starts the next phase, of the given number of units. At its end the share
// until of the whole import is done.
func (m *meter) begin(until float64, units int64) {
	m.share, m.end = m.end, until
	m.done, m.all = 0, units
}

// add reports that n more units are done. Its error is the context's.
func (m *meter) add(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += int64(n)
	if m.report != nil && m.all > 0 {
		m.report(m.share + (m.end-m.share)*min(1, float64(m.done)/float64(m.all)))
	}
	return m.ctx.Err()
}

// meteredFile counts the bytes that are read from a file.
type meteredFile struct {
	file io.ReaderAt
	*meter
}

func (f meteredFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.add(len(p)); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, off)
}
