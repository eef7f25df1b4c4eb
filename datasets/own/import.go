// Package own makes datasets of a user's files. Import turns an event log
// into a folder below the data folder, and Use makes such folders known by
// their names, like the datasets that come with the benchmark.
//
// The folder DATA/NAME holds
//
//	events.csv      the imported events: nodes are numbers, times are seconds
//	                from the first event, unused columns are left out
//	dataset.yaml    how it is split, and what is in it
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
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"dgsbench/datasets"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/names"
	"dgsbench/internal/regular"
	"dgsbench/internal/strictyaml"
)

// Source is the input of Import.
type Source struct {
	File   string // CSV, also compressed by gzip or zstd
	Layout datasets.Layout
	Name   string // of the dataset
	Title  string // in listings and tables; the name if it is empty
	Split  datasets.SplitRule
	// Progress is called with the share of the work that is done, 0 to 1; it may
	// be nil.
	Progress func(share float64)
}

// DefaultSplit is TGN's.
var DefaultSplit = datasets.ByTime(0.70, 0.85)

// Import makes the dataset of that name below the data folder, which must not
// have it yet. What is wrong with the file is reported as a
// *datasets.Damage, with the file's name and line. When ctx is done, the
// import ends and leaves nothing.
//
// A labelled source must have events of both classes in each part, or
// classification could not be learnt or measured.
func Import(ctx context.Context, dir string, src Source) (*datasets.Loaded, error) {
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
	var l *datasets.Loaded
	err := atomicfile.Root(dir).Folder(filepath.Join(dir, src.Name), func(tmp string) (err error) {
		l, err = src.fill(&meter{ctx: ctx, report: src.Progress}, tmp)
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
	case err == nil:
		return fmt.Errorf("%s exists already; remove it to import the dataset again", path)
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	return src.Split.Check()
}

// Measured shares of the work that are done after its phases.
const (
	unpacked = 0.2
	wasRead  = 0.45
	written  = 0.85
)

// fill writes the dataset's files into dir, and then reads them as every later
// command does.
func (src Source) fill(m *meter, dir string) (*datasets.Loaded, error) {
	if err := src.write(m, dir); err != nil {
		return nil, err
	}
	m.begin(1, 1)
	l, err := src.load(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be imported: what was written of it cannot be read again: %w", src.File, err)
	}
	return l, m.add(1)
}

// load reads the files, which are still in a temporary folder.
func (src Source) load(dir string) (*datasets.Loaded, error) {
	d, err := readDescription(filepath.Join(dir, descriptionFile))
	if err != nil {
		return nil, err
	}
	l, err := d.dataset(filepath.Base(dir)).Load(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	l.Dataset = d.dataset(src.Name)
	return l, nil
}

// write writes the files.
func (src Source) write(m *meter, dir string) error {
	s, features, err := src.read(m, dir)
	if err != nil {
		return err
	}
	d := description{
		Version: formatVersion, Title: src.Title, Split: src.Split, Bipartite: src.Layout.Bipartite,
		Labelled: src.Layout.Label != "", Features: features, Counts: s.Counts(),
	}
	m.begin(written, int64(s.Len()))
	sum := sha256.New()
	err = atomicfile.WriteTo(filepath.Join(dir, eventsFile), func(w io.Writer) error {
		return writeEvents(io.MultiWriter(w, sum), s, d.layout(), m.add)
	})
	if err != nil {
		return err
	}
	d.SHA256 = fmt.Sprintf("%x", sum.Sum(nil))
	if err := src.checkParts(s); err != nil {
		return err
	}
	yaml, err := strictyaml.Encode(d, nil)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, descriptionFile), yaml)
}

// read reads the file. It unpacks a compressed file into the folder tmp first.
func (src Source) read(m *meter, tmp string) (s datasets.Stream, features []string, err error) {
	f, size, err := regular.Open(src.File, math.MaxInt64)
	if err != nil {
		return s, nil, err
	}
	defer f.Close()
	start := make([]byte, min(size, 4))
	if _, err := f.ReadAt(start, 0); err != nil {
		return s, nil, err
	}
	if packed, ok := formatOf(start); ok {
		m.begin(unpacked, size)
		f, size, err = packed.unpackTo(tmp, io.NewSectionReader(meteredFile{f, m}, 0, size), size, src.File)
		if err != nil {
			return s, nil, err
		}
		defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	}
	m.begin(wasRead, 2*size) // once for the lines, once for their fields
	return datasets.ReadColumns(meteredFile{f, m}, src.File, size, src.Layout)
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
			return fmt.Errorf("%s: the %s part has no events (split %s), expected some%s", src.File, name, src.Split, hint)
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
				src.File, src.Layout.Label, strings.Join(lacks, " and "), part.Len(), name, src.Split)
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
