// Package specs reads what is to be run: model specifications (a kind of
// model and its options) and suites (which models on which datasets under
// which protocol). A suite expands into trials.
//
// The files of the project are embedded; a folder of the user's adds to them
// or replaces them by name. Every value has the file and line it comes from, and
// whether the paper gives it. Mistakes are reported all at once, with their place.
package specs

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"dgsbench/internal/names"
	"dgsbench/internal/regular"
	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
)

//go:embed models/*.yaml suites/*.yaml
var embedded embed.FS

// MaxFile is the largest size of the file of a spec or a suite, in bytes.
const MaxFile = 16 << 20

// Library holds the specs that can be looked up by name.
type Library struct {
	// Untuned leaves the options that the project's searches found out of suites
	// with tuned: true.
	Untuned bool

	specs map[Entry]spec
	own   []string // models given as single files, for any suite
}

type spec struct {
	strictyaml.Node
	embedded bool // it is one of the project's
}

// Entry is what a file holds: a suite or else a model spec, by its name or id.
type Entry struct {
	Suite bool
	Name  string
}

// NewLibrary holds the embedded specs, those of the YAML files in more, and
// those of the YAML files below dir. Later ones replace those of the same name.
// An empty dir stands for none.
func NewLibrary(dir string, more ...fs.FS) (*Library, error) {
	l := &Library{specs: map[Entry]spec{}}
	if err := l.addAll(embedded, "specs", true); err != nil {
		return nil, err
	}
	for _, files := range more {
		if err := l.addAll(files, "", false); err != nil {
			return nil, err
		}
	}
	if dir == "" {
		return l, nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: expected a folder with specs (*.yaml)", dir)
	}
	return l, l.addAll(folder{os.DirFS(dir), dir}, dir, false)
}

// folder is a folder of the user's.
type folder struct {
	fs.FS
	dir string
}

// ReadFile reads a regular file of a plausible size.
func (f folder) ReadFile(name string) ([]byte, error) {
	return regular.Read(filepath.Join(f.dir, filepath.FromSlash(name)), MaxFile)
}

// AddFile adds one file, in place of a spec of the same name. A model that
// a suite does not name joins it wherever it can do the task.
func (l *Library) AddFile(file string) (Entry, error) {
	data, err := regular.Read(file, MaxFile)
	if err != nil {
		return Entry{}, err
	}
	e, err := l.Add(file, data)
	if err == nil && !e.Suite {
		l.own = append(l.own, e.Name)
	}
	return e, err
}

// Add adds the spec in data, in place of one of the same name. Messages call it
// file.
func (l *Library) Add(file string, data []byte) (Entry, error) {
	e, n, err := classify(file, data)
	if err == nil {
		l.specs[e] = spec{Node: n}
	}
	return e, err
}

// addAll adds YAML files, of different names, of a file system that messages call dir.
func (l *Library) addAll(files fs.FS, dir string, embedded bool) error {
	var errs strictyaml.Errors
	seen := map[Entry]string{}
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if ext := path.Ext(p); err != nil || d.IsDir() || ext != ".yaml" && ext != ".yml" {
			return err
		}
		data, err := fs.ReadFile(files, p)
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
		l.specs[e] = spec{n, embedded}
		return nil
	})
	errs.Add(err)
	return errs.Err()
}

// classify parses a file and reads its name. The rest is read when it is looked up.
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
	err = at.Decode(&e.Name)
	if err == nil {
		err = checkName(at, e.Name)
	}
	return e, n, err
}

func (l *Library) names(suites bool) (names []string) {
	for e := range l.specs {
		if e.Suite == suites {
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	return names
}

// ModelIDs lists the model specs, sorted.
func (l *Library) ModelIDs() []string { return l.names(false) }

// SuiteNames lists the suites, sorted.
func (l *Library) SuiteNames() []string { return l.names(true) }

// SuiteTitle returns the title of a suite, which is not read otherwise.
func (l *Library) SuiteTitle(name string) string {
	title, _ := text(l.specs[Entry{Suite: true, Name: name}].Get("title"))
	return title
}

// LoadModel reads a model spec. The model's kind must be registered.
func (l *Library) LoadModel(id string) (Model, error) {
	s, ok := l.specs[Entry{Name: id}]
	if !ok {
		return Model{}, errors.New(unknown("model", id, l.ModelIDs()))
	}
	return newModel(s.Node)
}

// LoadSuite reads a suite and all model specs that it names.
func (l *Library) LoadSuite(name string) (Suite, error) {
	s, ok := l.specs[Entry{Suite: true, Name: name}]
	if !ok {
		return Suite{}, errors.New(unknown("suite", name, l.SuiteNames()))
	}
	return newSuite(s.Node, l)
}

func unknown(what, word string, known []string) string {
	return "unknown " + what + ` "` + word + `"` + suggest.Hint(word, known)
}

// require reports keys that are missing from a block.
func require(n strictyaml.Node, errs *strictyaml.Errors, keys ...string) {
	for _, key := range keys {
		if !n.Get(key).Present() {
			errs.Add(n.Errorf("key %q is missing", key))
		}
	}
}

// checkName checks an id or the name of a suite or variant.
func checkName(n strictyaml.Node, name string) error {
	err := names.Check(name)
	if err != nil {
		err = n.Errorf("%v", err)
	}
	return err
}

func text(n strictyaml.Node) (s string, ok bool) {
	ok = n.Present() && n.Decode(&s) == nil
	return s, ok
}
