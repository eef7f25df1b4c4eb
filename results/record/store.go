package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lists"
	"dgsbench/internal/regular"
)

// Limits of the files that are read as a whole, in bytes.
const (
	maxRecord  = 64 << 20
	maxSidecar = 4 << 30
)

// Store is a folder of records and their sidecars.
type Store struct{ Dir string }

// Write puts the trial's sidecar and then its record in place, so that a
// record is never there without its facts. Format, Scores and Sidecar are
// filled in here: the complete record is returned. A failed trial has no
// contents. What was there before is replaced.
func (s Store) Write(r Record, c Contents) (Record, error) {
	if err := r.checkPlace(); err != nil {
		return r, fmt.Errorf("record of %s: %w", r.Key, err)
	}
	r.Format, r.Scores, r.Sidecar = Format, nil, nil
	var facts []byte
	if !r.Failed() {
		var err error
		if facts, err = pack(r, c); err != nil {
			return r, fmt.Errorf("sidecar of %s: %w", r.Key, err)
		}
		r.Scores, r.Sidecar = c.scores(r), &Sidecar{SHA256: checksum(facts)}
		r.Sidecar.File = r.sidecarName()
	}
	if err := r.check(); err != nil {
		return r, fmt.Errorf("record of %s: %w", r.Key, err)
	}
	data, err := r.encode()
	if err != nil {
		return r, err
	}
	if !r.Failed() {
		if err := atomicfile.Root(s.Dir).Write(s.sidecarPath(r), facts); err != nil {
			return r, err
		}
	}
	before, _ := s.read(s.Path(r.Key, r.Identity)) // damaged or not, it is replaced
	if err := atomicfile.Root(s.Dir).Write(s.Path(r.Key, r.Identity), data); err != nil {
		return r, err
	}
	if before.Sidecar != nil && (r.Sidecar == nil || before.Sidecar.File != r.Sidecar.File) {
		err = os.Remove(s.sidecarPath(before))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return r, err
}

// Find reads the record of one trial. It is not found when there is no
// file, or when its sidecar is missing or damaged: the trial is to be run.
func (s Store) Find(k Key, identity string) (r Record, found bool, err error) {
	r = Record{Key: k, Identity: identity}
	if err := r.checkPlace(); err != nil {
		return Record{}, false, fmt.Errorf("record of %s: %w", k, err)
	}
	r, found, err = s.readIntact(s.Path(k, identity))
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	return r, found, err
}

// readIntact reads a record and reports whether its sidecar is there as it was
// written. A record that is replaced meanwhile is read again.
func (s Store) readIntact(file string) (r Record, intact bool, err error) {
	for {
		last := r.Sidecar
		if r, err = s.read(file); err != nil {
			return Record{}, false, err
		}
		if intact, err = s.intact(r); intact || err != nil || last != nil && *last == *r.Sidecar {
			return r, intact, err
		}
	}
}

// Load reads all records of a suite, in the order of their paths. Records whose sidecar
// is missing or damaged count as absent; their paths come back as
// incomplete. Anything else in the place of a record is an error that names
// the file. A folder that does not exist is empty.
func (s Store) Load(suite string) (records []Record, incomplete []string, err error) {
	var files []string
	if err := s.each(suite, func(file string) error { files = append(files, file); return nil }); err != nil {
		return nil, nil, err
	}
	all, intact := make([]Record, len(files)), make([]bool, len(files))
	err = lists.Parallel(len(files), func(i int) (err error) {
		all[i], intact[i], err = s.readIntact(files[i])
		return err
	})
	for i, file := range files {
		if intact[i] {
			records = append(records, all[i])
		} else {
			incomplete = append(incomplete, file)
		}
	}
	return records, incomplete, err
}

// Facts reads the record's sidecar.
func (s Store) Facts(r Record) (Observed, error) {
	observed := Observed{}
	return observed, s.readSidecar(r, observed)
}

// Times reads the sidecar of a latency test.
func (s Store) Times(r Record) (Times, error) {
	times := Times{}
	return times, s.readSidecar(r, times)
}

// ErrReplaced means that another run has measured the trial since its record
// was read, and has replaced it.
var ErrReplaced = errors.New("was replaced by another run while it was read: run the command again")

// readSidecar reads the file beside the record, if it is the one that was
// written.
func (s Store) readSidecar(r Record, into Contents) error {
	file := s.sidecarPath(r)
	data, err := regular.Read(file, maxSidecar)
	if err == nil && checksum(data) == r.Sidecar.SHA256 {
		if err := unpack(r, data, into); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		return nil
	}
	place := s.Path(r.Key, r.Identity)
	if now, failed := s.read(place); failed == nil && (now.Sidecar == nil || *now.Sidecar != *r.Sidecar) {
		return fmt.Errorf("%s %w", place, ErrReplaced)
	}
	if err == nil {
		return fmt.Errorf("%s is damaged: its checksum is not the one in the record; remove it to have the trial run again", file)
	}
	return err
}

// read reads a record and checks that it lies where it belongs.
func (s Store) read(file string) (Record, error) {
	data, err := regular.Read(file, maxRecord)
	if err != nil {
		return Record{}, err
	}
	r, err := Parse(file, data)
	if err != nil {
		return Record{}, err
	}
	if want := s.Path(r.Key, r.Identity); want != filepath.Clean(file) {
		return Record{}, fmt.Errorf("%s holds the record that belongs at %s; move it there or remove it", file, want)
	}
	return r, nil
}

// intact reports whether the sidecar is there and matches its checksum.
func (s Store) intact(r Record) (bool, error) {
	if r.Failed() {
		return true, nil
	}
	f, _, err := regular.Open(s.sidecarPath(r), maxSidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && hex.EncodeToString(h.Sum(nil)) == r.Sidecar.SHA256, err
}

// Path returns where the record of a trial lies.
func (s Store) Path(k Key, identity string) string {
	return filepath.Join(s.Dir, filepath.FromSlash(k.Path(identity)))
}

func (s Store) sidecarPath(r Record) string {
	return filepath.Join(filepath.Dir(s.Path(r.Key, r.Identity)), r.Sidecar.File)
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Check reports the first thing below a suite's folder that keeps Load from
// reading it.
func (s Store) Check(suite string) error {
	return s.each(suite, func(file string) error {
		r, err := s.read(file)
		if err != nil || r.Failed() {
			return err
		}
		f, _, err := regular.Open(s.sidecarPath(r), maxSidecar)
		if err == nil {
			err = f.Close()
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
}

// each calls do with the path of every record of a suite, or of all of them if
// it is "", in their order.
func (s Store) each(suite string, do func(file string) error) error {
	root := filepath.Join(s.Dir, suite)
	folder, err := isFolder(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !folder:
		return fmt.Errorf("%s is not a folder: expected one of records", root)
	case suite == "":
		return walk(root, 0, do)
	}
	return walk(root, 1, do)
}

// recordDepth is how many names a record's path has: see Key.Path.
const recordDepth = 5

// walk calls do with each record of a folder depth levels below the store's. It
// follows links, as Find does, and ignores whatever else lies in the folder:
// what people put above the records, sidecars, and hidden files.
func walk(dir string, depth int, do func(file string) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case depth < recordDepth-1:
			var folder bool
			if folder, err = isFolder(path); folder {
				err = walk(path, depth+1, do)
			}
		case filepath.Ext(path) == ".json":
			err = do(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isFolder reports whether the path, which may be a link, leads to a folder.
func isFolder(path string) (bool, error) {
	info, err := os.Stat(path)
	if err == nil {
		return info.IsDir(), nil
	}
	if link, linkErr := os.Lstat(path); linkErr == nil && link.Mode()&fs.ModeSymlink != 0 {
		err = fmt.Errorf("%s is a link that leads nowhere (%v); remove it", path, err)
	}
	return false, err
}
