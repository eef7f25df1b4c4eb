// Command plant puts one bug after another into the sources, builds the tests
// with it (go build's overlay: no file of the tree changes), and prints which
// test catches it:
//
//	scripts/plant [-quick] [-build] [-side N] [-timeout D] [-sanitize] [-tests=false] [NAME...]
//
// NAME is a bug's name or file, or how some begin. The bugs are in the YAML files
// of the folder bugs. The tests nearest to a bug run first, and without -quick
// wider ones follow if these do not catch it. With -build nothing runs: every bug
// has to compile. With -sanitize, sanitizers check the bugs of CUDA kernels that
// the tests miss, and with -tests=false all.
//
// It ends with 1 if a bug was missed, with 2 if an entry is wrong: it does not
// apply to the sources any more, does not compile, or is called equivalent and
// caught. Bugs that are equivalent, or unseen by tests, run only when named.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dgsbench/internal/strictyaml"
)

// list is a YAML file of bugs. Tests are arguments of go test.
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
	Tests      []string `yaml:"tests"`      // that catch it soonest, if not those of its file
	Equivalent string   `yaml:"equivalent"` // why it changes nothing that can be observed
	Unseen     string   `yaml:"unseen"`     // why no test can catch it

	of *list
}

func main() {
	var r runner
	flag.BoolVar(&r.quick, "quick", false, "run only the tests that are nearest to a bug")
	flag.BoolVar(&r.build, "build", false, "only compile each bug")
	flag.BoolVar(&r.tests, "tests", true, "run tests on the bugs")
	flag.BoolVar(&r.sanitize, "sanitize", false, "run sanitizers on the bugs of kernels that the tests miss")
	flag.IntVar(&r.side, "side", 1, "number of bugs side by side, which share the cores")
	flag.DurationVar(&r.timeout, "timeout", 10*time.Minute, "time after which tests that do not end have caught a bug")
	flag.Parse()
	code, err := r.run(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
	}
	os.Exit(code)
}

// run plants all bugs, or those whose names or files begin so, and returns the
// exit code.
func (r *runner) run(names []string) (code int, err error) {
	const wrong = 2
	switch {
	case !r.tests && !r.sanitize:
		return wrong, errors.New("neither tests nor sanitizers are to run: add -sanitize")
	case r.side < 1:
		return wrong, fmt.Errorf("-side is %d, expected at least 1", r.side)
	}
	if r.root, err = moduleRoot(); err != nil {
		return wrong, err
	}
	all, err := readBugs(r.root)
	if err != nil {
		return wrong, err
	}
	chosen := slices.DeleteFunc(all, func(b *bug) bool {
		begins := func(name string) bool { return strings.HasPrefix(b.Name, name) || strings.HasPrefix(b.File, name) }
		return len(names) > 0 && !slices.ContainsFunc(names, begins)
	})
	if len(chosen) == 0 {
		return wrong, fmt.Errorf("no bug's name or file begins with any of %q", names)
	}
	if r.scratch, err = os.MkdirTemp("", "plant-"); err != nil {
		return wrong, err
	}
	defer os.RemoveAll(r.scratch)
	count := map[verdict]int{}
	results := r.plantAll(chosen, len(names) > 0)
	for range chosen {
		got := <-results
		count[got.verdict]++
		fmt.Printf("%-10s  %-60s  %3.0f s  %s\n", got.verdict, got.bug.Name, got.took.Seconds(), got.line)
	}
	fmt.Printf("%d bugs", len(chosen))
	for _, v := range verdicts {
		if count[v] > 0 {
			fmt.Printf(", %d %s", count[v], strings.ToLower(string(v)))
		}
	}
	fmt.Println()
	switch {
	case count[wrongEntry] > 0:
		return wrong, nil
	case count[missed] > 0:
		return 1, nil
	}
	return 0, nil
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	return filepath.Dir(strings.TrimSpace(string(module))), err
}

// readBugs returns the bugs of all lists. The error names the entries that are
// not complete or have another's name.
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
		var l list
		if err := strictyaml.Unmarshal(file, data, &l); err != nil {
			return nil, err
		}
		for _, at := range slices.Sorted(maps.Keys(l.Nearest)) {
			if _, err := os.Stat(filepath.Join(root, at)); err != nil {
				errs = append(errs, fmt.Errorf("%s: nearest: expected a file or folder of the repository: %w", file, err))
			}
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

// planted returns the text of the bug's file with the bug in it.
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

// nearest returns the tests that catch the bug soonest: its own, or those of
// its file, of a folder around it, or of its package.
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
