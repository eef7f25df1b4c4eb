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
	"dgsbench/internal/regular"
)

// Limits of the files that are read as a whole, in bytes.
const (
	mostRecord  = 64 << 20
	mostSidecar = 4 << 30
)

// Store is a folder of records and their sidecars.
type Store struct{ Dir string }

// Write puts the trial's facts and then its record in place, so that a
// record is never there without its facts. Format, Scores and Sidecar are
// filled in here: the complete record is returned. A failed trial has no facts.
// What was there before is replaced.
func (s Store) Write(r Record, observed Observed) (Record, error) {
	if err := r.checkPlace(); err != nil {
		return r, fmt.Errorf("record of %s: %w", r.Key, err)
	}
	r.Scores = nil
	var facts []byte
	if !r.Failed() {
		var err error
		if facts, err = observed.encode(r); err != nil {
			return r, fmt.Errorf("facts of %s: %w", r.Key, err)
		}
		r.Scores = observed.scores(r)
	}
	return s.put(r, facts)
}

// put writes the sidecar, if the trial has not failed, and then the record.
func (s Store) put(r Record, facts []byte) (Record, error) {
	r.Format, r.Sidecar = Format, nil
	if !r.Failed() {
		r.Sidecar = &Sidecar{SHA256: checksum(facts)}
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
	err = s.each(suite, func(file string, r Record) error {
		intact, err := s.intact(r)
		if err == nil && !intact { // it may have been replaced meanwhile
			r, intact, err = s.readIntact(file)
		}
		switch {
		case err != nil:
			return err
		case !intact:
			incomplete = append(incomplete, file)
		default:
			records = append(records, r)
		}
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
	observed, err := decodeSidecar(r, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return observed, nil
}

// ErrReplaced means that another run has measured the trial since its record
// was read, and has replaced it.
var ErrReplaced = errors.New("was replaced by another run while it was read: run the command again")

// sidecar reads the file beside the record, if it is the one that was
// written.
func (s Store) sidecar(r Record) (data []byte, file string, err error) {
	file = s.sidecarPath(r)
	data, err = regular.Read(file, mostSidecar)
	if err == nil && checksum(data) == r.Sidecar.SHA256 {
		return data, file, nil
	}
	place := s.Path(r.Key, r.Identity)
	if now, failed := s.read(place); failed == nil && (now.Sidecar == nil || *now.Sidecar != *r.Sidecar) {
		return nil, file, fmt.Errorf("%s %w", place, ErrReplaced)
	}
	if err == nil {
		return nil, file, fmt.Errorf("%s is damaged: its checksum is not the one in the record; remove it to have the trial run again", file)
	}
	return nil, file, err
}

// read reads a record and checks that it lies where it belongs.
func (s Store) read(file string) (Record, error) {
	data, err := regular.Read(file, mostRecord)
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
	f, _, err := regular.Open(s.sidecarPath(r), mostSidecar)
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
	return s.each(suite, func(_ string, r Record) error {
		if r.Failed() {
			return nil
		}
		f, _, err := regular.Open(s.sidecarPath(r), mostSidecar)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return f.Close()
	})
}

// each calls do with every record of a suite, or of all of them if it is "",
// in the order of their paths.
func (s Store) each(suite string, do func(file string, r Record) error) error {
	root := filepath.Join(s.Dir, suite)
	info, err := os.Lstat(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		info, err = resolve(root, info)
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no folder: expected one of records", root)
	case suite == "":
		return s.walk(root, 0, do)
	}
	return s.walk(root, 1, do)
}

// recordDepth is how many names a record's path has: see Key.Path.
const recordDepth = 5

// walk visits each record of a folder depth levels below the store's. It follows links,
// as Find does, and ignores whatever else lies in the folder: what people put
// above the records, sidecars, and hidden files.
func (s Store) walk(dir string, depth int, do func(file string, r Record) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case depth < recordDepth-1:
			info, infoErr := e.Info()
			if err = infoErr; err == nil {
				info, err = resolve(path, info)
			}
			if err == nil && info.IsDir() {
				err = s.walk(path, depth+1, do)
			}
		case filepath.Ext(path) == ".json":
			var r Record
			if r, err = s.read(path); err == nil {
				err = do(path, r)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resolve returns what a link leads to, and info of anything else.
func resolve(path string, info fs.FileInfo) (fs.FileInfo, error) {
	if info.Mode()&fs.ModeSymlink == 0 {
		return info, nil
	}
	target, err := os.Stat(path)
	if err != nil {
		err = fmt.Errorf("%s is a link that leads nowhere (%v); remove it", path, err)
	}
	return target, err
}
