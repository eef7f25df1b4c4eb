package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
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

// verdict says what became of a bug.
type verdict string

const (
	caught     verdict = "caught"
	compiles   verdict = "compiles" // and nobody looked for it
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

// garden is where bugs are planted.
type garden struct {
	options
	root, scratch string

	mu    sync.Mutex
	clean map[string]func() error // of tests: whether they pass without a bug
}

// tryAll gives the results as they come. Bugs that are known not to be caught are
// tried only if they are named.
func (g *garden) tryAll(bugs []*bug, named bool) iter.Seq[result] {
	work, results := make(chan *bug), make(chan result)
	var workers sync.WaitGroup
	for range g.side {
		workers.Go(func() {
			for b := range work {
				start := time.Now()
				r := g.try(b, named)
				r.bug, r.took = b, time.Since(start)
				results <- r
			}
		})
	}
	go func() {
		for _, b := range bugs {
			work <- b
		}
		close(work)
		workers.Wait()
		close(results)
	}()
	return func(yield func(result) bool) {
		for r := range results {
			if !yield(r) {
				return
			}
		}
	}
}

// try plants the bug and looks for it.
func (g *garden) try(b *bug, named bool) result {
	text, err := b.planted(g.root)
	if err != nil {
		return result{verdict: wrongEntry, line: err.Error()}
	}
	if !named && !g.build {
		switch {
		case b.Equivalent != "":
			return result{verdict: equivalent, line: b.Equivalent}
		case b.Unseen != "" && !g.sanitize:
			return result{verdict: unseen, line: b.Unseen}
		}
	}
	overlay, err := g.overlay(b, text)
	if err != nil {
		return result{verdict: wrongEntry, line: err.Error()}
	}
	if g.build {
		return g.compile(b, overlay)
	}
	found, line, err := g.look(b, overlay)
	switch {
	case err != nil:
		return result{verdict: wrongEntry, line: err.Error()}
	case found && b.Equivalent != "":
		return result{verdict: wrongEntry, line: "called equivalent, but caught by " + line}
	case found:
		return result{verdict: caught, line: line}
	case b.Equivalent != "":
		return result{verdict: equivalent, line: b.Equivalent}
	case b.Unseen != "" && !g.sanitize:
		return result{verdict: unseen, line: b.Unseen}
	}
	return result{verdict: missed, line: fmt.Sprintf("%s: %q instead of %q", b.File, b.Wrong, b.Right)}
}

// overlay has go build read the text instead of the bug's file.
func (g *garden) overlay(b *bug, text string) (string, error) {
	folder, err := os.MkdirTemp(g.scratch, "")
	if err != nil {
		return "", err
	}
	with := filepath.Join(folder, filepath.Base(b.File))
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(g.root, b.File): with}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(folder, "overlay.json")
	return overlay, errors.Join(os.WriteFile(with, []byte(text), 0o644), os.WriteFile(overlay, replaced, 0o644))
}

// look runs tests, the nearest first, then sanitizers, as far as they are asked
// for. The line says what they found.
func (g *garden) look(b *bug, overlay string) (found bool, line string, err error) {
	tests := b.nearest()
	if !g.quick {
		tests = append(slices.Clone(tests), b.of.Wider...)
	}
	for _, t := range tests {
		if !g.tests {
			break
		}
		if err := g.passes(b.of, t); err != nil {
			return false, "", err
		}
		if found, line, err = g.fails(b.of, t, overlay); found || err != nil {
			return found, line, err
		}
	}
	if g.sanitize && b.of.Sanitizer != "" {
		return g.reported(b, overlay)
	}
	return false, "", nil
}

// passes tells once whether the tests pass without a bug.
func (g *garden) passes(l *list, tests string) error {
	g.mu.Lock()
	once, ok := g.clean[l.Tags+" "+tests]
	if !ok {
		once = sync.OnceValue(func() error {
			found, line, err := g.fails(l, tests, "")
			if found {
				err = fmt.Errorf("seen without a bug: %s", line)
			}
			return err
		})
		g.clean[l.Tags+" "+tests] = once
	}
	g.mu.Unlock()
	return once()
}

// fails runs tests. An error says that they do not compile.
func (g *garden) fails(l *list, tests, overlay string) (found bool, line string, err error) {
	args := []string{"test", "-tags", l.Tags, "-overlay", overlay, "-vet", "off", "-failfast", "-timeout", g.timeout.String()}
	out, err := g.goTool(append(args, strings.Fields(tests)...)...)
	switch {
	case err == nil:
		return false, "", nil
	case strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"), strings.Contains(out, "building the emulator:"):
		return false, "", fmt.Errorf("it does not compile:\n%s", out)
	}
	return true, complaint(out, err), nil
}

// compile builds the bug's package, if it is Go.
func (g *garden) compile(b *bug, overlay string) result {
	if path.Ext(b.File) == ".go" {
		if out, err := g.goTool("build", "-tags", b.of.Tags, "-overlay", overlay, "./"+path.Dir(b.File)); err != nil {
			return result{verdict: wrongEntry, line: fmt.Sprintf("it does not compile: %v\n%s", err, out)}
		}
	}
	return result{verdict: compiles}
}

// goTool runs the go tool on the cores of a bug, without flags of the
// environment and without real data, and has the tests keep no failures for
// later.
func (g *garden) goTool(args ...string) (out string, err error) {
	command := exec.Command("go", args...)
	command.Dir = g.root
	command.Env = append(os.Environ(), "GOFLAGS=", "DGSBENCH_DATA=", "RAPID_NOFAILFILE=true", fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/g.side)))
	text, err := command.CombinedOutput()
	return string(text), err
}

// complaint is the test that failed first and its line that says what is wrong.
func complaint(out string, err error) string {
	const most = 140
	test := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			test, _, _ = strings.Cut(name, " ")
			test += ": "
		} else if strings.Contains(line, ".go:") || strings.HasPrefix(line, "panic: ") {
			return test + line[:min(len(line), most)]
		}
	}
	return test + err.Error()
}

// reported runs the sanitizers, and gives what they say first.
func (g *garden) reported(b *bug, overlay string) (found bool, line string, err error) {
	command := exec.Command("bash", b.of.Sanitizer)
	if g.quick {
		var patterns []string
		for _, tests := range b.nearest() {
			_, pattern, _ := strings.Cut(tests, "-run ")
			patterns = append(patterns, pattern)
		}
		command.Args = append(command.Args, "-run", strings.Join(patterns, "|"))
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
	return false, "", fmt.Errorf("%s: %w\n%s", b.of.Sanitizer, err, out)
}
