//go:build linux || darwin || freebsd

package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
)

// linked moves what is at path elsewhere and leaves a link to it.
func linked(t *testing.T, path string) {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(path, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, path); err != nil {
		t.Fatal(err)
	}
}

// TestLinks: what Find finds by a link, at whatever level, is loaded too.
func TestLinks(t *testing.T) {
	r := recordtest.Trial("nc", "", "dgs", 0)
	for path := r.Key.Path(recordtest.Identity); path != "."; path = filepath.Dir(path) {
		s := record.Store{Dir: t.TempDir()}
		recordtest.Write(t, s, r, recordtest.Classified())
		linked(t, filepath.Join(s.Dir, path))
		_, found, err := s.Find(r.Key, recordtest.Identity)
		if err != nil || !found {
			t.Errorf("%s: found %v, %v", path, found, err)
		}
		for _, suite := range []string{"", r.Key.Suite} {
			if records, incomplete, err := s.Load(suite); err != nil || len(records) != 1 || len(incomplete) > 0 {
				t.Errorf("%s is a link: %d records of suite %q, %v", path, len(records), suite, err)
			}
		}
		if err := s.Check(r.Key.Suite); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestOthersInPlace: what is no file in a file's place, or no folder in a
// folder's, is named at once; nothing is silently left out or waited for.
func TestOthersInPlace(t *testing.T) {
	r := recordtest.Trial("nc", "", "dgs", 0)
	name := r.Key.Path(recordtest.Identity)
	const sidecar = "" // its name has the checksum of the facts
	folder := func(path string) error { return os.Mkdir(path, 0o755) }
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o644) }
	link := func(to string) func(string) error {
		return func(path string) error { return os.Symlink(to, path) }
	}
	for what, c := range map[string]struct {
		path string
		make func(path string) error
		want string
	}{
		"a folder as record":      {name, folder, "is a folder: expected a regular file"},
		"a pipe as record":        {name, pipe, "is a named pipe: expected"},
		"a device as record":      {name, link("/dev/zero"), "is a device: expected"},
		"a large file as record":  {name, func(path string) error { return sparse(path, 1<<40) }, "has 1099511627776 bytes: expected"},
		"a folder as sidecar":     {sidecar, folder, "is a folder: expected a regular file"},
		"a pipe as sidecar":       {sidecar, pipe, "is a named pipe: expected"},
		"a device as sidecar":     {sidecar, link("/dev/zero"), "is a device: expected"},
		"a large file as sidecar": {sidecar, func(path string) error { return sparse(path, 1<<40) }, "has 1099511627776 bytes: expected"},
		"a lost link as model":    {filepath.Dir(name), link("nowhere"), "is a link that leads nowhere"},
		"a circle as dataset":     {filepath.Join("made-up", "mooc"), link("mooc"), "is a link that leads nowhere"},
		"a lost link as suite":    {"made-up", link("nowhere"), "is a link that leads nowhere"},
		"a file as suite":         {"made-up", func(path string) error { return sparse(path, 1) }, "is not a folder"},
	} {
		s := record.Store{Dir: t.TempDir()}
		written := recordtest.Write(t, s, r, recordtest.Classified())
		path := filepath.Join(s.Dir, c.path)
		if c.path == sidecar {
			path = filepath.Join(s.Dir, filepath.Dir(name), written.Sidecar.File)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := c.make(path); err != nil {
			t.Fatal(err)
		}
		for call, do := range map[string]func() error{
			"Load":  func() error { _, _, err := s.Load("made-up"); return err },
			"Check": func() error { return s.Check("made-up") },
		} {
			err := soon(t, what, do)
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v, expected %q with the path", what, call, err, c.want)
			}
		}
	}
}

// sparse makes a file of that size that takes no room.
func sparse(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(size)
}

// soon is what do returns, within ten seconds.
func soon(t *testing.T, what string, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: it does not end", what)
	}
	return nil
}

// TestHiddenFilesAreNoRecords: what other programs keep beside records.
func TestHiddenFilesAreNoRecords(t *testing.T) {
	s := record.Store{Dir: t.TempDir()}
	r := recordtest.Trial("nc", "", "dgs", 0)
	recordtest.Write(t, s, r, recordtest.Classified())
	cell := filepath.Join(s.Dir, filepath.FromSlash(r.Key.Folder()))
	for _, path := range []string{filepath.Join(cell, "._seed-0-0123456789ab.json"), filepath.Join(s.Dir, "made-up", ".dgsbench", "a", "b", "c.json")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("theirs"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("user@host.17", filepath.Join(s.Dir, "made-up", ".#tables.md")); err != nil {
		t.Fatal(err)
	}
	if records, _, err := s.Load("made-up"); err != nil || len(records) != 1 {
		t.Errorf("%d records, %v", len(records), err)
	}
}
