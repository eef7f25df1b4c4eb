package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// garden is where bugs are planted.
type garden struct {
	options
	root    string // of the module
	scratch string
}

func newGarden(o options) (*garden, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "plant-")
	return &garden{o, filepath.Dir(strings.TrimSpace(string(module))), scratch}, err
}

// check fails if a bug does not fit its source, or if one is seen where there is
// none.
func (g *garden) check(chosen []bug) error {
	var suites []suite
	for _, b := range chosen {
		if _, err := b.planted(g.sources()); err != nil {
			return err
		}
		for _, s := range g.suites(b) {
			if !slices.Contains(suites, s) {
				suites = append(suites, s)
			}
		}
	}
	found, line, err := g.look("", suites)
	if found {
		err = fmt.Errorf("seen without a bug: %s", line)
	}
	return err
}

// suites are those that the bug has to pass, the nearest first.
func (g *garden) suites(b bug) []suite {
	first := []suite{{kernelTests, nearest[b.file]}}
	if g.quick {
		return first
	}
	return append(first, all...)
}

// sources is the folder of the kernels and the code around them.
func (g *garden) sources() string { return filepath.Join(g.root, "kernels/cuda") }

// planted is the text of the bug's file with the bug in it.
func (b bug) planted(sources string) (string, error) {
	text, err := os.ReadFile(filepath.Join(sources, b.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), b.right); n != 1 {
		return "", fmt.Errorf("bug %q: %s has %d times %q, expected once", b.name, b.file, n, b.right)
	}
	return strings.Replace(string(text), b.right, b.wrong, 1), nil
}

// try looks for the bug.
func (g *garden) try(b bug) (found bool, line string, err error) {
	text, err := b.planted(g.sources())
	if err != nil {
		return false, "", err
	}
	overlay, err := g.overlay(b.file, text)
	if err != nil {
		return false, "", err
	}
	return g.look(overlay, g.suites(b))
}

// look runs tests, then sanitizers, as far as they are asked for. It gives the
// first line that says what is wrong.
func (g *garden) look(overlay string, suites []suite) (found bool, line string, err error) {
	if g.tests {
		found, line, err = g.caught(overlay, suites)
	}
	if found || err != nil || !g.sanitize {
		return found, line, err
	}
	return g.reported(overlay, suites)
}

// overlay has go build read the text instead of the file.
func (g *garden) overlay(file, text string) (string, error) {
	with := filepath.Join(g.scratch, filepath.Base(file))
	list, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(g.sources(), file): with}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(g.scratch, "overlay.json")
	return path, errors.Join(os.WriteFile(with, []byte(text), 0o644), os.WriteFile(path, list, 0o644))
}

// tooLong is when tests that do not end count as failed.
const tooLong = 10 * time.Minute

// caught runs suites until one fails.
func (g *garden) caught(overlay string, suites []suite) (found bool, line string, err error) {
	for _, s := range suites {
		command := exec.Command("go", "test", "-tags", "gpu", "-overlay", overlay, "-vet", "off", "-failfast", "-timeout", tooLong.String(), "-run", s.pattern, s.folder)
		command.Dir = g.root
		out, err := command.CombinedOutput()
		switch {
		case err == nil:
			continue
		case strings.Contains(string(out), "[build failed]"), strings.Contains(string(out), "building the emulator:"):
			return false, "", fmt.Errorf("it does not compile:\n%s", out)
		}
		return true, s.folder + ": " + complaint(string(out), err), nil
	}
	return false, "", nil
}

// complaint is the line of a test's output that says what is wrong.
func complaint(out string, err error) string {
	const most = 140
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, ".go:") || strings.HasPrefix(line, "panic: ") {
			return line[:min(len(line), most)]
		}
	}
	return err.Error()
}

// sanitizers is the script that runs them.
const sanitizers = "scripts/sanitize-kernels"

// reported runs the sanitizers, and gives what they say first.
func (g *garden) reported(overlay string, suites []suite) (found bool, line string, err error) {
	command := exec.Command("bash", sanitizers)
	if g.quick {
		command.Args = append(command.Args, "-run", patterns(suites))
	}
	command.Dir, command.Env = g.root, append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	out, err := command.CombinedOutput()
	if err == nil {
		return false, "", nil
	}
	for _, mark := range []string{"SUMMARY: ", "FAILED: "} { // a test's failure only if no sanitizer says more
		for line := range strings.Lines(string(out)) {
			if what, ok := strings.CutPrefix(line, mark); ok {
				return true, strings.TrimSpace(what), nil
			}
		}
	}
	return false, "", fmt.Errorf("%s: %w\n%s", sanitizers, err, out)
}

// patterns picks the tests of all suites.
func patterns(suites []suite) string {
	var all []string
	for _, s := range suites {
		all = append(all, s.pattern)
	}
	return strings.Join(all, "|")
}
