package specs

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzSpec: no file makes the reading of a spec panic, and a suite that is
// right has trials with an identity.
func FuzzSpec(f *testing.F) {
	for _, pattern := range []string{"models/*.yaml", "suites/*.yaml", "testdata/*/*.y*ml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lib, err := NewLibrary("testdata/good")
		if err != nil {
			t.Fatal(err)
		}
		e, n, err := classify("f.yaml", data)
		if err != nil {
			return
		}
		lib.put(e, n)
		if !e.Suite {
			if _, err := lib.LoadModel(e.Name); err == nil {
				if _, err := lib.Show(e.Name, Place{}); err != nil {
					t.Error(err)
				}
			}
			return
		}
		s, err := lib.LoadSuite(e.Name)
		if err != nil {
			return
		}
		trials, err := s.Trials(Filter{Seeds: 1})
		if err != nil || len(trials) == 0 {
			t.Fatalf("%d trials, %v", len(trials), err)
		}
		for _, trial := range trials {
			trial.Identity("", 1, "cpu")
		}
	})
}
