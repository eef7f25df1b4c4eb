package own

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/atomicfile"
	"dgsbench/internal/names"
	"dgsbench/internal/strictyaml"
)

// Source is what Import reads.
type Source struct {
	File   string // CSV, also compressed by gzip or zstd
	Layout datasets.Layout
	Name   string // of the dataset
	Title  string // in listings; the file's name where it is empty
	Split  Split
	// Progress is told how much of the work is done, 0 to 1; it may be nil.
	Progress func(share float64)
}

// Import makes the dataset of that name below the data folder, which must not
// have it yet. What is wrong with the file is reported as a
// *datasets.Damage, with the file's name and line. When ctx is done, so is
// the import, and nothing of it is left.
//
// A labelled source must have events of both classes in each part: without
// them, classification cannot be learnt or measured.
func Import(ctx context.Context, dir string, src Source) (*datasets.Loaded, error) {
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

// check looks at what can be wrong before the file is read.
func (src Source) check(dir string) error {
	path := filepath.Join(dir, src.Name)
	switch _, err := os.Lstat(path); {
	case names.Check(src.Name) != nil:
		return fmt.Errorf("the dataset: %w", names.Check(src.Name))
	case names.CheckTitle(src.title()) != nil:
		return fmt.Errorf("the title: %w; --title gives another", names.CheckTitle(src.title()))
	case datasets.BuiltIn(src.Name):
		return fmt.Errorf("the benchmark has a dataset %s of its own, expected another name", src.Name)
	case err == nil:
		return fmt.Errorf("%s is there already; remove it to import the dataset again", path)
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	_, err := src.Split.rule()
	return err
}

// Shares of the work, as measured: where it was unpacked, and where it was
// read.
const (
	unpacked = 0.2
	wasRead  = 0.45
	written  = 0.85
)

// fill makes the files, and ends by reading them as every later command does.
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

// load reads the files, which are not yet where they belong.
func (src Source) load(dir string) (*datasets.Loaded, error) {
	d, err := readDescription(filepath.Join(dir, descriptionFile))
	if err != nil {
		return nil, err
	}
	here, err := d.dataset(filepath.Base(dir))
	if err != nil {
		return nil, err
	}
	l, err := here.Load(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	l.Dataset, err = d.dataset(src.Name)
	return l, err
}

// write makes the files.
func (src Source) write(m *meter, dir string) error {
	s, features, err := src.read(m, dir)
	if err != nil {
		return err
	}
	d := description{
		Version: formatVersion, Title: src.title(), Split: src.Split, Bipartite: src.Layout.Bipartite,
		Labelled: src.Layout.Label != "", Features: features, Counts: counts(s.Counts()),
	}
	m.begin(written, int64(s.Len()))
	sum := sha256.New()
	err = atomicfile.WriteTo(filepath.Join(dir, eventsFile), func(w io.Writer) error {
		return writeEvents(io.MultiWriter(w, sum), s, d.Labelled, m.add)
	})
	if err != nil {
		return err
	}
	d.SHA256 = fmt.Sprintf("%x", sum.Sum(nil))
	rule, err := d.Split.rule()
	if err != nil {
		return err
	}
	if err := src.checkParts(s, rule); err != nil {
		return err
	}
	yaml, err := strictyaml.Encode(d, nil)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, descriptionFile), yaml)
}

// read reads the file, which it unpacks into the folder tmp before if that is
// needed.
func (src Source) read(m *meter, tmp string) (datasets.Stream, []string, error) {
	f, size, err := datasets.OpenRegular(src.File)
	if err != nil {
		return datasets.Stream{}, nil, err
	}
	defer f.Close()
	start := make([]byte, min(size, 4))
	if _, err := f.ReadAt(start, 0); err != nil {
		return datasets.Stream{}, nil, err
	}
	packed, ok := formatOf(start)
	if !ok {
		return src.columns(m, f, size)
	}
	m.begin(unpacked, size)
	path, err := packed.spool(meteredFile{f, m}, size, src.File, tmp)
	if err != nil {
		return datasets.Stream{}, nil, err
	}
	text, size, err := datasets.OpenRegular(path)
	if err != nil {
		return datasets.Stream{}, nil, err
	}
	defer text.Close()
	s, features, err := src.columns(m, text, size)
	return s, features, errors.Join(err, os.Remove(path))
}

// columns reads the text: once for its lines, once for what is in them.
func (src Source) columns(m *meter, f *os.File, size int64) (datasets.Stream, []string, error) {
	m.begin(wasRead, 2*size)
	return datasets.ReadColumns(meteredFile{f, m}, src.File, size, src.Layout, 0)
}

func (src Source) title() string {
	if src.Title != "" {
		return src.Title
	}
	return "imported from " + filepath.Base(src.File)
}

// checkParts makes sure that there is something to learn and to measure.
func (src Source) checkParts(s datasets.Stream, rule datasets.SplitRule) error {
	split := rule.Split(s)
	parts := []struct {
		name   string
		events datasets.Stream
	}{
		{"train", s.Slice(0, split.TrainEnd)},
		{"validation", s.Slice(split.TrainEnd, split.ValEnd)},
		{"test", s.Slice(split.ValEnd, s.Len())},
	}
	for _, p := range parts {
		lacks := lackingClasses(p.events)
		switch {
		case p.events.Len() == 0:
			return fmt.Errorf("%s: the %s part has no events (split %s), expected some%s", src.File, p.name, rule, src.Split.hint())
		case src.Layout.Label != "" && lacks != "":
			return fmt.Errorf("%s: column %s: %s among the %d events of the %s part (split %s), expected both classes; without a label column the file is good for link prediction",
				src.File, src.Layout.Label, lacks, p.events.Len(), p.name, rule)
		}
	}
	return nil
}

// hint says what helps where a part has no events.
func (s Split) hint() string {
	if s.By == "row" {
		return ""
	}
	return "; `--split-by row` splits by the number of events"
}

// lackingClasses says which classes no event has.
func lackingClasses(s datasets.Stream) string {
	var lacks []string
	if !slices.Contains(s.Label, 1) {
		lacks = append(lacks, "no positives (label 1)")
	}
	if !slices.Contains(s.Label, 0) {
		lacks = append(lacks, "no negatives (label 0)")
	}
	return strings.Join(lacks, " and ")
}
