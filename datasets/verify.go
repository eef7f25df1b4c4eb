package datasets

import "fmt"

// Verify reads the dataset's file below dir and compares it with what is
// known of it: its checksum or, where that is not known, its counts.
func (d Dataset) Verify(dir string) error {
	if d.Damaged != nil {
		return d.Damaged
	}
	path, err := d.path(dir)
	if err != nil {
		return err
	}
	return d.withRemedy(d.VerifyFile(path), dir)
}

// VerifyFile is Verify of a file that may still be called otherwise, and so
// says nothing about a better one.
func (d Dataset) VerifyFile(path string) error {
	if _, err := d.checkFile(path); err != nil || d.SHA256 != "" {
		return err
	}
	s, err := ReadFile(path, d.Layout, 0)
	if err != nil {
		return err
	}
	if err := d.Want.check(s.Counts()); err != nil {
		return fmt.Errorf("dataset %s: %s: %w: %w", d.Name, path, err, errWrong)
	}
	return nil
}
