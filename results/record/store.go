package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dgsbench/internal/atomicfile"
)

// Store is a folder of records and their sidecars.
type Store struct{ Dir string }

// Write puts the trial's facts and then its record in place, so that a
// record is never there without its facts. Format, Scores and Sidecar are
// filled in here: the whole record is returned. A failed trial has no facts.
// What was there before is replaced.
func (s Store) Write(r Record, observed Observed) (Record, error) {
	if err := r.checkPlace(); err != nil {
		return r, fmt.Errorf("record of %s: %w", r.Key, err)
	}
	r.Scores = nil
	var facts []byte
	if !r.Failed() {
		var err error
		if facts, err = observed.encode(r.Key.Task); err != nil {
			return r, fmt.Errorf("facts of %s: %w", r.Key, err)
		}
		r.Scores = observed.scores(r.Key.Task)
	}
	return s.put(r, facts)
}

// put writes the sidecar, if the trial has not failed, and then the record.
func (s Store) put(r Record, facts []byte) (Record, error) {
	r.Format, r.Sidecar = Format, nil
	if !r.Failed() {
		r.Sidecar = &Sidecar{File: sidecarName(r.Key, r.Identity), SHA256: checksum(facts)}
	}
	if err := r.check(); err != nil {
		return r, fmt.Errorf("record of %s: %w", r.Key, err)
	}
	data, err := r.encode()
	if err != nil {
		return r, err
	}
	if !r.Failed() {
		if err := atomicfile.Write(s.sidecarPath(r), facts); err != nil {
			return r, err
		}
	}
	return r, atomicfile.Write(s.path(r.Key, r.Identity), data)
}

// Find reads the record of one trial. It is not found when there is no
// file, or when its sidecar is missing or damaged: the trial is to be run.
func (s Store) Find(k Key, identity string) (r Record, found bool, err error) {
	r, err = s.read(s.path(k, identity))
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, err
	}
	whole, err := s.whole(r)
	return r, whole, err
}

// Load reads all records of a suite, in the order of their paths. Records whose sidecar
// is missing or damaged count as absent; their paths come back as
// incomplete. Anything else in the place of a record is an error that names
// the file. A folder that does not exist is empty.
func (s Store) Load(suite string) (records []Record, incomplete []string, err error) {
	err = filepath.WalkDir(filepath.Join(s.Dir, suite), func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && file == filepath.Join(s.Dir, suite) {
			return nil
		}
		if err != nil || d.IsDir() || !s.inRecordPlace(file) {
			return err
		}
		r, err := s.read(file)
		if err != nil {
			return err
		}
		whole, err := s.whole(r)
		if err != nil {
			return err
		}
		if !whole {
			incomplete = append(incomplete, file)
			return nil
		}
		records = append(records, r)
		return nil
	})
	return records, incomplete, err
}

// Facts reads the record's sidecar.
func (s Store) Facts(r Record) (Observed, error) {
	data, file, err := s.sidecar(r)
	if err != nil {
		return nil, err
	}
	observed, err := decodeSidecar(r.Key.Task, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return observed, nil
}

// sidecar reads the file beside the record, if it is the one that was
// written.
func (s Store) sidecar(r Record) (data []byte, file string, err error) {
	file = s.sidecarPath(r)
	if data, err = os.ReadFile(file); err != nil {
		return nil, file, err
	}
	if checksum(data) != r.Sidecar.SHA256 {
		return nil, file, fmt.Errorf("%s is damaged: its checksum is not the one in the record; remove it to have the trial run again", file)
	}
	return data, file, nil
}

// recordDepth is how many names a record's path has: see Key.Path.
const recordDepth = 5

// inRecordPlace tells records from whatever else lies in the folder: what
// people put above the records, sidecars, and temporary files, which end in
// a random text.
func (s Store) inRecordPlace(file string) bool {
	relative, err := filepath.Rel(s.Dir, file)
	depth := strings.Count(filepath.ToSlash(relative), "/") + 1
	return err == nil && depth == recordDepth && filepath.Ext(file) == ".json"
}

// read reads a record and checks that it lies where it belongs.
func (s Store) read(file string) (Record, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Record{}, err
	}
	r, err := Parse(file, data)
	if err != nil {
		return Record{}, err
	}
	if want := s.path(r.Key, r.Identity); want != filepath.Clean(file) {
		return Record{}, fmt.Errorf("%s holds the record that belongs at %s; move it there or remove it", file, want)
	}
	return r, nil
}

// whole reports whether the sidecar is there and matches its checksum.
func (s Store) whole(r Record) (bool, error) {
	if r.Failed() {
		return true, nil
	}
	data, err := os.ReadFile(s.sidecarPath(r))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && checksum(data) == r.Sidecar.SHA256, err
}

func (s Store) path(k Key, identity string) string {
	return filepath.Join(s.Dir, filepath.FromSlash(k.Path(identity)))
}

func (s Store) sidecarPath(r Record) string {
	return filepath.Join(filepath.Dir(s.path(r.Key, r.Identity)), sidecarName(r.Key, r.Identity))
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
