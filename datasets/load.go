package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Loaded is a dataset in memory.
type Loaded struct {
	Dataset Dataset
	Stream  Stream // with the file's features
	SHA256  string // of the file, or what Open returned
	Split   Split
}

// Load reads the dataset's file below dir, or opens its other source. The
// checksum must be the known one, and so must the counts. Every error is one
// message that says what to do.
func (d Dataset) Load(dir string) (*Loaded, error) {
	if d.Damaged != nil {
		return nil, d.Damaged
	}
	open := d.Open
	if open == nil {
		if err := d.Present(dir); err != nil {
			return nil, err
		}
		open = d.OpenFile
	}
	if err := d.room(d.Size()); err != nil {
		return nil, err
	}
	s, sum, err := open(dir)
	if err != nil {
		return nil, err
	}
	if s.Len() == 0 {
		return nil, fmt.Errorf("dataset %s has no events", d.Name)
	}
	if err := d.Want.check(s.Counts()); err != nil {
		return nil, fmt.Errorf("dataset %s: %w", d.Name, err)
	}
	return &Loaded{Dataset: d, Stream: s, SHA256: sum, Split: d.Split.Split(s)}, nil
}

// OpenFile is the normal source: the file below dir, or what a cache has kept
// of it, and the file's SHA-256.
func (d Dataset) OpenFile(dir string) (Stream, string, error) {
	path, err := d.path(dir)
	if err != nil {
		return Stream{}, "", err
	}
	kept := openCache(path, d.Layout)
	sum, err := d.checkFile(path)
	if err != nil {
		return Stream{}, "", d.withRemedy(err, dir)
	}
	s, err := kept.stream(sum)
	return s, sum, err
}

// Present is nil where Load finds something to read: the file is there, or the
// stream needs none. A file that is not there is an fs.ErrNotExist that says
// how to get it.
func (d Dataset) Present(dir string) error {
	if d.Damaged != nil || d.File == "" {
		return d.Damaged
	}
	_, err := d.path(dir)
	return err
}

// path is where the file is, if it is there.
func (d Dataset) path(dir string) (string, error) {
	path := filepath.Join(dir, d.File)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", d.missing(dir)
	}
	if err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("dataset %s: %s is not a regular file", d.Name, path)
	}
	if err != nil {
		return "", fmt.Errorf("dataset %s: %w", d.Name, err)
	}
	return path, nil
}

// checkFile compares the checksum with the known one, if it is known.
func (d Dataset) checkFile(path string) (sum string, err error) {
	sum, err = checksum(path)
	if err != nil {
		return "", fmt.Errorf("dataset %s: %w", d.Name, err)
	}
	if d.SHA256 != "" && sum != d.SHA256 {
		return "", fmt.Errorf("dataset %s: %s has SHA-256 %s, expected %s: %w", d.Name, path, sum, d.SHA256, errWrong)
	}
	return sum, nil
}

var errWrong = errors.New("it is damaged or another version")

// withRemedy says how to get another file in place of a wrong one.
func (d Dataset) withRemedy(err error, dir string) error {
	if !errors.Is(err, errWrong) {
		return err
	}
	if d.Imported {
		return fmt.Errorf("%w; %s", err, d.obtain(dir))
	}
	return fmt.Errorf("%w; remove %s and %s", err, filepath.Join(dir, d.File), d.obtain(dir))
}

// missing is the message for a file that is not there.
func (d Dataset) missing(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	return &missingError{fmt.Sprintf("dataset %s: no file %s in %s; %s", d.Name, d.File, abs, d.obtain(dir))}
}

// obtain says how the file gets into the data folder.
func (d Dataset) obtain(dir string) string {
	switch {
	case d.Imported:
		return fmt.Sprintf("remove %s and import the source again", filepath.Join(dir, filepath.Dir(d.File)))
	case d.Served():
		return fmt.Sprintf("`bench data fetch %s --data %s` downloads it from %s", d.Name, dir, d.URL)
	}
	return fmt.Sprintf("make it from %s (%s)", d.URL, d.Obtain)
}

// Served reports whether a server has the file as it is needed.
func (d Dataset) Served() bool {
	return d.File != "" && d.Open == nil && d.Obtain == "" && !d.Imported
}

// missingError is an fs.ErrNotExist with a message of its own.
type missingError struct{ text string }

func (m *missingError) Error() string { return m.text }
func (m *missingError) Unwrap() error { return fs.ErrNotExist }

// Counts are the stream's sizes. Users and Items are 0 where any node may be
// source and destination.
func (s Stream) Counts() Counts {
	c := Counts{Events: s.Len(), Nodes: s.NumNodes, Features: s.NumFeat}
	if s.Bipartite() {
		c.Users, c.Items = s.Users, s.NumNodes-s.Users
	}
	for _, label := range s.Label {
		if label == 1 {
			c.Positives++
		}
	}
	return c
}

// check compares what is known of a dataset with what was read.
func (want Counts) check(got Counts) error {
	for _, c := range []struct {
		what      string
		want, got int
	}{
		{"events", want.Events, got.Events},
		{"nodes", want.Nodes, got.Nodes},
		{"users", want.Users, got.Users},
		{"items", want.Items, got.Items},
		{"positive labels", want.Positives, got.Positives},
		{"features", want.Features, got.Features},
	} {
		if c.want != 0 && c.want != c.got {
			return fmt.Errorf("%d %s, expected %d: this is another file", c.got, c.what, c.want)
		}
	}
	return nil
}
