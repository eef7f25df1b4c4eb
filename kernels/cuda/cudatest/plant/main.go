// Command plant puts one bug after another into a copy of the CUDA kernels
// and of the Go code around them, runs their tests on the emulator, and says
// how many bugs the tests catch:
//
//	go run ./kernels/cuda/cudatest/plant [-sanitize] [NAME...]
//
// With -sanitize, sanitizers look for those that the tests miss
// (scripts/sanitize-kernels). It takes some minutes, and ends with 1 if a bug
// was missed; without -sanitize some may be.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	sanitize := flag.Bool("sanitize", false, "let sanitizers look for the bugs that the tests miss")
	flag.Parse()
	missed, err := run(flag.Args(), *sanitize)
	if err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(2)
	}
	if missed > 0 {
		os.Exit(1)
	}
}

// run plants all bugs, or those of the names. Those that only sanitizers see do
// not count as missed without them.
func run(names []string, sanitize bool) (missed int, err error) {
	tree, err := copyTree()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tree)
	if found, line := caught(tree); found {
		return 0, fmt.Errorf("the tests fail without a bug: %s", line)
	}
	count, expected := 0, 0
	for _, b := range bugs {
		if len(names) > 0 && !slices.Contains(names, b.name) {
			continue
		}
		count++
		found, line, err := b.try(tree, sanitize)
		if err != nil {
			return 0, err
		}
		if !found {
			missed++
			line = "all tests pass"
			if why := unseen[b.name]; why != "" && !sanitize {
				expected++
				line = "as expected: " + why
			}
		}
		fmt.Printf("%-7s %-44s %s\n", map[bool]string{true: "caught", false: "MISSED"}[found], b.name, line)
	}
	if count == 0 {
		return 0, fmt.Errorf("no bug of these names: %v", names)
	}
	fmt.Printf("%d of %d bugs caught\n", count-missed, count)
	return missed - expected, nil
}

// try plants the bug, runs the tests, then sanitizers if they are asked for, and
// takes it out again.
func (b bug) try(tree string, sanitize bool) (found bool, line string, err error) {
	path := filepath.Join(tree, "kernels/cuda", b.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return false, "", err
	}
	if strings.Count(string(text), b.right) == 0 {
		return false, "", fmt.Errorf("%s: %s has no %q", b.name, b.file, b.right)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), b.right, b.wrong, 1)), 0o644); err != nil {
		return false, "", err
	}
	found, line = caught(tree)
	if !found && sanitize {
		found, line = reported(tree)
	}
	return found, line, os.WriteFile(path, text, 0o644)
}

// tooLong is when tests that do not end count as failed.
const tooLong = 5 * time.Minute

// caught runs the tests, and gives the first line that says what is wrong.
// That the PTX is stale does not count.
func caught(tree string) (found bool, line string) {
	command := exec.Command("go", "test", "-tags", "gpu", "-failfast", "-timeout", tooLong.String(), "-skip", "^TestPTX", "./kernels/cuda", "./kernels/cuda/driver")
	command.Dir = tree
	out, err := command.CombinedOutput()
	if err == nil {
		return false, ""
	}
	for text := range strings.Lines(string(out)) {
		if text = strings.TrimSpace(text); strings.Contains(text, ".go:") || strings.HasPrefix(text, "panic: ") {
			return true, text[:min(len(text), 160)]
		}
	}
	return true, err.Error()
}

// reported runs the sanitizers, and gives the first report's summary.
func reported(tree string) (found bool, line string) {
	command := exec.Command("bash", filepath.Join(tree, sanitizers))
	out, err := command.CombinedOutput()
	if err == nil {
		return false, ""
	}
	for text := range strings.Lines(string(out)) {
		if text, found = strings.CutPrefix(text, "SUMMARY: "); found {
			return true, strings.TrimSpace(text[:min(len(text), 160)])
		}
	}
	return false, ""
}

// sanitizers is the script that runs them.
const sanitizers = "scripts/sanitize-kernels"

// copyTree copies what the tests need.
func copyTree() (string, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	root := filepath.Dir(strings.TrimSpace(string(module)))
	tree, err := os.MkdirTemp("", "plant-")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"go.mod", "go.sum", "kernels", sanitizers} {
		err = errors.Join(err, filepath.WalkDir(filepath.Join(root, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return copyEntry(root, path, tree, d)
		}))
	}
	return tree, err
}

func copyEntry(root, path, tree string, d fs.DirEntry) error {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	to := filepath.Join(tree, name)
	if d.IsDir() {
		return os.MkdirAll(to, 0o755)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
}
