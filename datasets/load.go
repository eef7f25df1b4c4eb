package datasets

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"dgsbench/internal/ram"
	"dgsbench/internal/regular"
)

// Loaded is a dataset in memory.
type Loaded struct {
	Dataset Dataset
	Stream  Stream // with the file's features
	SHA256  string // of the file; or the dataset's Identity, or what Open returned
	Split   Split
}

// Load reads the dataset's file below dir, or calls Open. Checksum and counts
// must be as expected. Every error is one message that says what to do.
func (d Dataset) Load(dir string) (*Loaded, error) {
	if err := cmp.Or(d.Present(dir), d.checkMemory(d.Size())); err != nil {
		return nil, err
	}
	open := d.Open
	if open == nil {
		open = d.openFile
	}
	start := time.Now()
	s, sum, err := open(dir)
	if err != nil {
		return nil, err
	}
	slog.Debug("loaded", "dataset", d.Name, "events", s.Len(), "seconds", time.Since(start).Seconds())
	if s.Len() == 0 {
		return nil, fmt.Errorf("dataset %s has no events", d.Name)
	}
	if err := d.Want.check(s.Counts()); err != nil {
		return nil, fmt.Errorf("dataset %s: %w", d.Name, err)
	}
	l := &Loaded{Dataset: d, Stream: s, SHA256: sum, Split: d.Split.Split(s)}
	if err := l.checkNegatives(dir); err != nil {
		return nil, err
	}
	return l, nil
}

// openFile returns the stream of the file below dir, from the cache if that is
// valid, and the dataset's Identity or the file's SHA-256.
func (d Dataset) openFile(dir string) (Stream, string, error) {
	path := filepath.Join(dir, d.File)
	c := newCache(path, d.Layout)
	var key cacheKey
	var cached Stream
	var reading sync.WaitGroup
	reading.Go(func() { key, cached, _ = c.open() }) // while the file's checksum is computed
	sum, err := d.checkFile(path)
	reading.Wait()
	if err != nil {
		return Stream{}, "", d.withRemedy(err, dir)
	}
	stale := key != (cacheKey{sum, c.id})
	slog.Debug("read", "file", path, "cached", !stale)
	if stale {
		cached, err = c.refresh(sum)
	}
	return cached, cmp.Or(d.Identity, fmt.Sprintf("%x", sum)), err
}

// Verify compares the dataset's file below dir with the known checksum or, if
// that is unknown, with the known counts.
func (d Dataset) Verify(dir string) error {
	path, err := d.path(dir)
	if err != nil {
		return err
	}
	return d.withRemedy(d.VerifyFile(path), dir)
}

// VerifyFile is Verify of a file at any path. Its error does not say how to
// get the right file.
func (d Dataset) VerifyFile(path string) error {
	if _, err := d.checkFile(path); err != nil || d.SHA256 != "" {
		return err
	}
	s, err := ReadFile(path, d.Layout)
	if err != nil {
		return err
	}
	if err := d.Want.check(s.Counts()); err != nil {
		return fmt.Errorf("dataset %s: %s: %w: %w", d.Name, path, err, errWrongFile)
	}
	return nil
}

// Present returns nil if Load finds something to read: the file exists, or
// none is needed. The error for a missing file is an fs.ErrNotExist that says
// how to get it.
func (d Dataset) Present(dir string) error {
	if d.File == "" || d.Open != nil {
		return nil
	}
	_, err := d.path(dir)
	return err
}

// path returns the path of the file, which must exist, of a dataset that is not
// Damaged.
func (d Dataset) path(dir string) (string, error) {
	if d.Damaged != nil {
		return "", d.Damaged
	}
	path := filepath.Join(dir, d.File)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		folder := dir
		if abs, err := filepath.Abs(dir); err == nil {
			folder = abs
		}
		return "", &missingError{fmt.Sprintf("dataset %s: no file %s in %s; %s", d.Name, d.File, folder, d.remedy(dir))}
	case err != nil:
		return "", fmt.Errorf("dataset %s: %w", d.Name, err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("dataset %s: %s is not a regular file", d.Name, path)
	}
	return path, nil
}

// missingError is an fs.ErrNotExist with a message of its own.
type missingError struct{ text string }

func (m *missingError) Error() string { return m.text }
func (m *missingError) Unwrap() error { return fs.ErrNotExist }

var errWrongFile = errors.New("it is damaged or another version")

// checkFile returns the checksum of a file, which must be the known one if
// there is one.
func (d Dataset) checkFile(path string) (sum [sha256.Size]byte, err error) {
	sum, err = checksum(path)
	if err != nil {
		return sum, fmt.Errorf("dataset %s: %w", d.Name, err)
	}
	if got := fmt.Sprintf("%x", sum); d.SHA256 != "" && got != d.SHA256 {
		return sum, fmt.Errorf("dataset %s: %s has SHA-256 %s, expected %s: %w", d.Name, path, got, d.SHA256, errWrongFile)
	}
	return sum, nil
}

// checksum returns the SHA-256 of a file.
func checksum(path string) (sum [sha256.Size]byte, err error) {
	f, _, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// withRemedy adds to an errWrongFile how to replace the file.
func (d Dataset) withRemedy(err error, dir string) error {
	switch {
	case !errors.Is(err, errWrongFile):
		return err
	case d.Imported:
		return fmt.Errorf("%w; %s", err, d.remedy(dir))
	}
	return fmt.Errorf("%w; remove %s and %s", err, filepath.Join(dir, d.File), d.remedy(dir))
}

// remedy says how to get the file into the data folder.
func (d Dataset) remedy(dir string) string {
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
	return d.File != "" && d.Obtain == "" && !d.Imported
}

// Counts returns the stream's sizes. Users and Items are 0 if any node may be
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

// check compares the expected counts with those of a stream.
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

// Bytes returns the size in bytes of the columns of a stream with that many
// events and features.
func Bytes(events, features int) int64 {
	const columns = 4 + 4 + 8 + 1 // Src, Dst, Time, Label
	return int64(events) * int64(columns+4*features)
}

// Size returns the memory in bytes for reading or making the dataset; 0 if
// its size is unknown.
func (d Dataset) Size() int64 { return Bytes(d.Want.Events, d.Want.Features) + d.OpenBytes }

// CheckRoom reports whether datasets fit into the memory together, as far as
// their sizes are known before they are read. Unknown names are skipped.
func CheckRoom(names []string) error {
	total := int64(0)
	var last Dataset
	for _, name := range names {
		if d, err := Lookup(name); err == nil {
			last, total = d, total+d.Size()
		}
	}
	if len(names) == 1 {
		return last.checkMemory(total)
	}
	if err := ram.Check(fmt.Sprintf("the %d datasets together", len(names)), total); err != nil {
		return fmt.Errorf("%w; leave some out with --datasets, or take a machine with more", err)
	}
	return nil
}

// checkMemory returns an error that says what to do if the stream, of that many
// bytes, does not fit into memory.
func (d Dataset) checkMemory(bytes int64) error {
	err := ram.Check("dataset "+d.Name, bytes)
	switch {
	case err == nil:
		return nil
	case d.Scaled != nil:
		return fmt.Errorf("%w; take a smaller scale (NAME@SCALE), or a machine with more", err)
	}
	return fmt.Errorf("%w; import a part of it, or take a machine with more", err)
}
