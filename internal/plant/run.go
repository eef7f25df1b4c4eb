package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// verdict is the outcome of a planted bug.
type verdict string

const (
	caught     verdict = "caught"
	compiles   verdict = "compiles" // and nothing ran
	missed     verdict = "MISSED"
	wrongEntry verdict = "WRONG"
	equivalent verdict = "equivalent"
	unseen     verdict = "unseen"
)

var verdicts = []verdict{caught, compiles, missed, wrongEntry, equivalent, unseen}

// result is a verdict and what led to it.
type result struct {
	bug     *bug
	verdict verdict
	took    time.Duration
	line    string
}

// runner runs tests and sanitizers on planted bugs.
type runner struct {
	quick, build, tests, sanitize bool // flags
	side                          int
	timeout                       time.Duration
	root, scratch                 string

	clean sync.Map // from tests to a func() error: whether they pass without a bug
}

// plantAll sends a result for each bug, as they come. Bugs that are known not to
// be caught run only if they are named.
func (r *runner) plantAll(bugs []*bug, named bool) <-chan result {
	work, results := make(chan *bug, len(bugs)), make(chan result)
	for _, b := range bugs {
		work <- b
	}
	close(work)
	for range r.side {
		go func() {
			for b := range work {
				start := time.Now()
				v, line := r.plant(b, named)
				results <- result{b, v, time.Since(start), line}
			}
		}()
	}
	return results
}

// plant plants a bug and runs the checks on it.
func (r *runner) plant(b *bug, named bool) (v verdict, line string) {
	text, err := b.planted(r.root)
	if err != nil {
		return wrongEntry, err.Error()
	}
	hidden := b.Unseen != "" && !r.sanitize
	switch {
	case named || r.build:
	case b.Equivalent != "":
		return equivalent, b.Equivalent
	case hidden:
		return unseen, b.Unseen
	}
	overlay, err := r.overlay(b, text)
	if err != nil {
		return wrongEntry, err.Error()
	}
	if r.build {
		if path.Ext(b.File) == ".go" {
			if out, err := r.goTool("build", "-tags", b.of.Tags, "-overlay", overlay, "./"+path.Dir(b.File)); err != nil {
				return wrongEntry, fmt.Sprintf("it does not compile: %v\n%s", err, out)
			}
		}
		return compiles, ""
	}
	found, line, err := r.check(b, overlay)
	switch {
	case err != nil:
		return wrongEntry, err.Error()
	case found && b.Equivalent != "":
		return wrongEntry, "called equivalent, but caught by " + line
	case found:
		return caught, line
	case b.Equivalent != "":
		return equivalent, b.Equivalent
	case hidden:
		return unseen, b.Unseen
	}
	return missed, fmt.Sprintf("%s: %q instead of %q", b.File, b.Wrong, b.Right)
}

// overlay makes go build read the text instead of the bug's file.
func (r *runner) overlay(b *bug, text string) (string, error) {
	folder, err := os.MkdirTemp(r.scratch, "")
	if err != nil {
		return "", err
	}
	with := filepath.Join(folder, filepath.Base(b.File))
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(r.root, b.File): with}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(folder, "overlay.json")
	return overlay, errors.Join(os.WriteFile(with, []byte(text), 0o644), os.WriteFile(overlay, replaced, 0o644))
}

// check runs tests, the nearest first, then sanitizers, as far as they are asked
// for. The line says what they found.
func (r *runner) check(b *bug, overlay string) (found bool, line string, err error) {
	var tests []string
	if r.tests {
		tests = b.nearest()
		if !r.quick {
			tests = slices.Concat(tests, b.of.Wider)
		}
	}
	for _, t := range tests {
		if err := r.passesClean(b.of, t); err != nil {
			return false, "", err
		}
		if found, line, err = r.fails(b.of, t, overlay); found || err != nil {
			return found, line, err
		}
	}
	if r.sanitize && b.of.Sanitizer != "" {
		return r.runSanitizers(b, overlay)
	}
	return false, "", nil
}

// passesClean checks once that tests pass without a bug.
func (r *runner) passesClean(l *list, tests string) error {
	once, _ := r.clean.LoadOrStore(l.Tags+" "+tests, sync.OnceValue(func() error {
		found, line, err := r.fails(l, tests, "")
		if found {
			err = fmt.Errorf("fails without a bug: %s", line)
		}
		return err
	}))
	return once.(func() error)()
}

// fails runs tests. An error says that they do not compile.
func (r *runner) fails(l *list, tests, overlay string) (found bool, line string, err error) {
	args := []string{"test", "-tags", l.Tags, "-overlay", overlay, "-vet", "off", "-failfast", "-timeout", r.timeout.String()}
	out, err := r.goTool(append(args, strings.Fields(tests)...)...)
	switch {
	case err == nil:
		return false, "", nil
	case strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"), strings.Contains(out, "building the emulator:"):
		return false, "", fmt.Errorf("it does not compile:\n%s", out)
	}
	return true, firstFailure(out, err), nil
}

// goTool runs the go tool on the cores of a bug, without flags of the
// environment and without real data. The tests write no files about failures.
func (r *runner) goTool(args ...string) (out string, err error) {
	command := exec.Command("go", args...)
	command.Dir = r.root
	command.Env = append(os.Environ(), "GOFLAGS=", "DGSBENCH_DATA=", "RAPID_NOFAILFILE=true",
		fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/r.side)))
	text, err := command.CombinedOutput()
	return string(text), err
}

// firstFailure returns the test that failed first and its line that says what
// is wrong.
func firstFailure(out string, err error) string {
	const limit = 140
	test := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			test, _, _ = strings.Cut(name, " ")
			test += ": "
		} else if strings.Contains(line, ".go:") || strings.HasPrefix(line, "panic: ") {
			return test + line[:min(len(line), limit)]
		}
	}
	return test + err.Error()
}

// runSanitizers returns the first finding of the sanitizers.
func (r *runner) runSanitizers(b *bug, overlay string) (found bool, line string, err error) {
	command := exec.Command("bash", b.of.Sanitizer)
	if r.quick {
		var patterns []string
		for _, tests := range b.nearest() {
			_, pattern, _ := strings.Cut(tests, "-run ")
			patterns = append(patterns, pattern)
		}
		command.Args = append(command.Args, "-run", strings.Join(patterns, "|"))
	}
	command.Dir, command.Env = r.root, append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
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
	return false, "", fmt.Errorf("%s: %w\n%s", b.of.Sanitizer, err, out)
}
