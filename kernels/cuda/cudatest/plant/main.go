// Command plant puts one bug after another into a copy of the CUDA kernels
// and of the Go code around them, runs their tests on the emulator, and says
// how many bugs the tests catch:
//
//	go run ./kernels/cuda/cudatest/plant [NAME...]
//
// It takes some minutes, and ends with 1 if a bug was missed that the emulator
// could show.
package main

import (
	"errors"
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
	missed, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(2)
	}
	if missed > 0 {
		os.Exit(1)
	}
}

// run plants all bugs, or those of the names. Those that cannot be caught do
// not count as missed.
func run(names []string) (missed int, err error) {
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
		found, line, err := b.try(tree)
		if err != nil {
			return 0, err
		}
		if !found {
			missed++
			line = "all tests pass"
			if why := unseen[b.name]; why != "" {
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

// try plants the bug, runs the tests and takes it out again.
func (b bug) try(tree string) (found bool, line string, err error) {
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
	for _, name := range []string{"go.mod", "go.sum", "kernels"} {
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
	return os.WriteFile(to, text, 0o644)
}
