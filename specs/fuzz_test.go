package specs

import (
	"errors"
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
		lib.specs[e] = spec{Node: n}
		if !e.Suite {
			if _, err := lib.LoadModel(e.Name); err == nil {
				shown, err := lib.Show(e.Name, Place{})
				_, errYAML := shown.YAML()
				_, errJSON := shown.MarshalJSON()
				if err := errors.Join(err, errYAML, errJSON); err != nil {
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

// FuzzOption: an option of a sweep is set to the text given for it alone, or
// refused.
func FuzzOption(f *testing.F) {
	for _, value := range []string{"100", "[8, 4]", "relu", "1}, mode: {slow: 1", "x # y", "\"\\x\"", "&a 1", "0x10", "!!int 1", "1\nmode: slow", "0.5, dropout: 0.5", "{", ""} {
		f.Add("alpha", value)
		f.Add("head.lr", value)
	}
	lib, err := NewLibrary("testdata/good")
	if err != nil {
		f.Fatal(err)
	}
	var list []Model
	for _, id := range lib.ModelIDs() {
		if m, err := lib.LoadModel(id); err == nil {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		f.Fatal("no model can be read")
	}
	f.Fuzz(func(t *testing.T, path, value string) {
		for _, m := range list {
			before, err := m.Resolve(Place{}, "")
			if err != nil {
				t.Fatal(err)
			}
			after, err := m.ResolveWith(Place{}, "", path, value)
			if err != nil {
				continue
			}
			for option, from := range after.Origins {
				if option != path && from != before.Origins[option] {
					t.Errorf("%s: %s: %q has changed %s too", m.ID, path, value, option)
				}
			}
		}
	})
}
