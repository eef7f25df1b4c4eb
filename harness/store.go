package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dgsbench/internal/atomicfile"
	"dgsbench/internal/lists"
	"dgsbench/internal/regular"
	"dgsbench/models"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// CheckStore reports what would keep the suites of all trials from being read,
// or the records of those to be measured from being written.
func CheckStore(s record.Store, all, toMeasure []specs.Trial) error {
	for _, suite := range lists.Unique(all, func(t specs.Trial) string { return t.Suite }) {
		if err := s.Check(suite); err != nil {
			return err
		}
	}
	for _, folder := range lists.Unique(toMeasure, func(t specs.Trial) string { return results.KeyOf(t).Folder() }) {
		if err := Writable(filepath.Join(s.Dir, folder)); err != nil {
			return err
		}
	}
	return nil
}

// Writable returns an error if nothing can be written in a folder, which need not exist.
func Writable(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder):
		return Writable(filepath.Dir(folder))
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder: expected one for records", folder)
	}
	if err := atomicfile.Root(folder).Probe(); err != nil {
		return fmt.Errorf("nothing can be written in %s: %w", folder, err)
	}
	return nil
}

// Find reads the record of the trial that rec describes, and checks its
// checkpoint if one is wanted: ok is false unless both are whole. It is an error
// if a file of those names is of something else.
func Find(s record.Store, t specs.Trial, rec record.Record, checkpoint bool) (found record.Record, ok bool, err error) {
	found, ok, err = s.Find(rec.Key, rec.Identity)
	if !ok || err != nil {
		return found, false, err
	}
	if !(results.MadeBy(found, t) && found.DataChecksum == rec.DataChecksum && found.Numerics == rec.Numerics) {
		return found, false, fmt.Errorf("the record of %s is not what its name says; remove %s", rec.Key, s.Path(rec.Key, rec.Identity))
	}
	if checkpoint && !found.Failed() {
		ok, err = hasCheckpoint(s, t, found)
	}
	return found, ok, err
}

// hasCheckpoint reports whether the trial's model is beside its record.
func hasCheckpoint(s record.Store, t specs.Trial, rec record.Record) (bool, error) {
	saved, err := models.ReadSaved(checkpointPath(s, rec))
	if errors.Is(err, regular.ErrOther) {
		return false, err // a checkpoint could not be written there
	}
	return err == nil && saved.Spec == string(t.JSON()) && saved.Input != nil, nil
}

// writeCheckpoint writes a model beside its record.
func writeCheckpoint(s record.Store, rec record.Record, of *models.Saved) error {
	data, err := of.Encode()
	if err != nil {
		return err
	}
	return atomicfile.Root(s.Dir).Write(checkpointPath(s, rec), data)
}

// checkpointPath returns the path beside the record, under its name.
func checkpointPath(s record.Store, rec record.Record) string {
	return besidePath(s, rec, ".safetensors")
}

// logPath is where what a model's own programs say is kept.
func logPath(s record.Store, rec record.Record) string { return besidePath(s, rec, ".log") }

func besidePath(s record.Store, rec record.Record, suffix string) string {
	return strings.TrimSuffix(s.Path(rec.Key, rec.Identity), ".json") + suffix
}

// StoreError says that results could not be written: the run is over, but
// nothing was wrong with what was asked for.
type StoreError struct{ Err error }

func (e *StoreError) Error() string {
	return fmt.Sprintf("write results: %v; what was measured before is kept: once this is fixed, the same command continues from there", e.Err)
}

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }
