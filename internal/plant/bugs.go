package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dgsbench/internal/strictyaml"
)

// list is what a YAML file of bugs holds. Tests are arguments of go test.
type list struct {
	Tags      string              `yaml:"tags"`      // of the build
	Nearest   map[string][]string `yaml:"nearest"`   // tests of a file or folder, where they are not those of its package
	Wider     []string            `yaml:"wider"`     // tests that run if those do not fail
	Sanitizer string              `yaml:"sanitizer"` // a script
	Bugs      []*bug              `yaml:"bugs"`
}

// bug is a change of one place of a file.
type bug struct {
	Name       string   `yaml:"name"`
	File       string   `yaml:"file"`  // from the repository's root
	Right      string   `yaml:"right"` // occurs once in the file
	Wrong      string   `yaml:"wrong"`
	Tests      []string `yaml:"tests"`      // that see it soonest, if not those of its file
	Equivalent string   `yaml:"equivalent"` // why it changes nothing that can be observed
	Unseen     string   `yaml:"unseen"`     // why no test can see it

	of *list
}

// moduleRoot is the folder of go.mod.
func moduleRoot() (string, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	return filepath.Dir(strings.TrimSpace(string(module))), err
}

// readBugs gives the bugs of all lists. The error names the entries that are not
// complete or have another's name.
func readBugs(root string) (all []*bug, err error) {
	files, err := filepath.Glob(filepath.Join(root, "internal/plant/bugs/*.yaml"))
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	var errs []error
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		node, err := strictyaml.Parse(file, data)
		if err != nil {
			return nil, err
		}
		var l list
		if err := node.Decode(&l); err != nil {
			return nil, err
		}
		for _, b := range l.Bugs {
			b.of = &l
			if b.Name == "" || b.File == "" || b.Right == b.Wrong {
				errs = append(errs, fmt.Errorf("%s: bug %q: name, file, or a change is missing", file, b.Name))
			}
			if names[b.Name] {
				errs = append(errs, fmt.Errorf("%s: two bugs are %q", file, b.Name))
			}
			names[b.Name] = true
		}
		all = append(all, l.Bugs...)
	}
	return all, errors.Join(errs...)
}

// choose gives the bugs whose names or files begin so, or all.
func choose(all []*bug, names []string) (chosen []*bug) {
	for _, b := range all {
		begins := func(name string) bool { return strings.HasPrefix(b.Name, name) || strings.HasPrefix(b.File, name) }
		if len(names) == 0 || slices.ContainsFunc(names, begins) {
			chosen = append(chosen, b)
		}
	}
	return chosen
}

// planted is the text of the bug's file with the bug in it.
func (b *bug) planted(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, b.File))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), b.Right); n != 1 {
		return "", fmt.Errorf("bug %q: %s has %d times %q, expected once", b.Name, b.File, n, b.Right)
	}
	return strings.Replace(string(text), b.Right, b.Wrong, 1), nil
}

// nearest are the tests that see the bug soonest: its own, or those of its file,
// of a folder around it, or of its package.
func (b *bug) nearest() []string {
	if len(b.Tests) > 0 {
		return b.Tests
	}
	for at := b.File; at != "."; at = path.Dir(at) {
		if tests := b.of.Nearest[at]; len(tests) > 0 {
			return tests
		}
	}
	return []string{"./" + path.Dir(b.File)}
}
