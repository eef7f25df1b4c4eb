package specs

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"dgsbench/internal/regular"
	"dgsbench/internal/strictyaml"
)

//go:embed models/*.yaml suites/*.yaml
var embedded embed.FS

// embeddedDir is the folder that messages name for embedded specs.
const embeddedDir = "specs"

// mostSpec is more bytes than a spec or a suite has.
const mostSpec = 16 << 20

// Library holds the specs that can be looked up by name.
type Library struct {
	models, suites map[string]strictyaml.Node
	own            []string       // models given as single files, for any suite
	user           map[Entry]bool // specs that are not the embedded ones
}

// Entry is what a file holds.
type Entry struct {
	Suite bool   // a suite, else a model spec
	Name  string // the suite's name or the model's id
}

// NewLibrary holds the embedded specs and those of the YAML files below dir,
// which replace embedded ones of the same name. An empty dir stands for
// none.
func NewLibrary(dir string) (*Library, error) {
	l := &Library{models: map[string]strictyaml.Node{}, suites: map[string]strictyaml.Node{}, user: map[Entry]bool{}}
	if err := l.addAll(embedded, embeddedDir, embedded.ReadFile); err != nil {
		return nil, err
	}
	if dir == "" {
		return l, nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: expected a folder with specs (*.yaml)", dir)
	}
	read := func(p string) ([]byte, error) {
		return regular.Read(filepath.Join(dir, filepath.FromSlash(p)), mostSpec)
	}
	if err := l.addAll(os.DirFS(dir), dir, read); err != nil {
		return nil, err
	}
	return l, nil
}

// AddFile adds one file, in place of a spec of the same name. A model that
// a suite does not name joins it wherever it can do the task.
func (l *Library) AddFile(file string) (Entry, error) {
	data, err := regular.Read(file, mostSpec)
	if err != nil {
		return Entry{}, err
	}
	e, n, err := classify(file, data)
	if err != nil {
		return Entry{}, err
	}
	l.put(e, n)
	l.user[e] = true
	if !e.Suite {
		l.own = append(l.own, e.Name)
	}
	return e, nil
}

// addAll adds all YAML files of a folder. Two of them of the same name are
// an error.
func (l *Library) addAll(files fs.FS, dir string, read func(path string) ([]byte, error)) error {
	var errs strictyaml.Errors
	seen := map[Entry]string{}
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if ext := path.Ext(p); err != nil || d.IsDir() || ext != ".yaml" && ext != ".yml" {
			return err
		}
		data, err := read(p)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, filepath.FromSlash(p))
		e, n, err := classify(file, data)
		if err != nil {
			errs.Add(err)
			return nil
		}
		if first, twice := seen[e]; twice {
			errs.Add(n.Errorf("the name %q is taken by %s", e.Name, first))
			return nil
		}
		seen[e] = file
		l.put(e, n)
		l.user[e] = dir != embeddedDir
		return nil
	})
	errs.Add(err)
	return errs.Err()
}

func (l *Library) put(e Entry, n strictyaml.Node) {
	if e.Suite {
		l.suites[e.Name] = n
	} else {
		l.models[e.Name] = n
	}
}

// classify parses a file and finds out what it is and what it is called.
// The rest of it is read when it is looked up.
func classify(file string, data []byte) (Entry, strictyaml.Node, error) {
	n, err := strictyaml.Parse(file, data)
	if err != nil {
		return Entry{}, n, err
	}
	suite, model := n.Get("runs").Present(), n.Get("model").Present()
	if suite == model {
		found := "neither"
		if suite {
			found = "both"
		}
		return Entry{}, n, n.Errorf(`expected the key "runs" of a suite or the key "model" of a model spec, found %s`, found)
	}
	e, key := Entry{Suite: suite}, "id"
	if suite {
		key = "name"
	}
	at := n.Get(key)
	if !at.Present() {
		return Entry{}, n, n.Errorf("key %q is missing", key)
	}
	var errs strictyaml.Errors
	errs.Add(at.Decode(&e.Name))
	if errs.Err() == nil {
		checkName(at, e.Name, &errs)
	}
	return e, n, errs.Err()
}

// ModelIDs lists the model specs, sorted.
func (l *Library) ModelIDs() []string { return slices.Sorted(maps.Keys(l.models)) }

// SuiteNames lists the suites, sorted.
func (l *Library) SuiteNames() []string { return slices.Sorted(maps.Keys(l.suites)) }

// LoadModel reads a model spec. The model's kind must be registered.
func (l *Library) LoadModel(id string) (Model, error) {
	n, ok := l.models[id]
	if !ok {
		return Model{}, errors.New(unknown("model", id, l.ModelIDs()))
	}
	return newModel(n)
}

// LoadSuite reads a suite and all model specs that it names.
func (l *Library) LoadSuite(name string) (Suite, error) {
	n, ok := l.suites[name]
	if !ok {
		return Suite{}, errors.New(unknown("suite", name, l.SuiteNames()))
	}
	return newSuite(n, l)
}
