package regression_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/results/regression"
)

// TestBugsFit: every bug can still be planted where it was, and docs/check.md
// tells of it.
func TestBugsFit(t *testing.T) {
	root := filepath.Join("..", "..")
	page := read(t, filepath.Join(root, "docs", "check.md"))
	for _, b := range bugs {
		if n := strings.Count(read(t, filepath.Join(root, b.file)), b.old); n != 1 {
			t.Errorf("%s: %s has the text to be replaced %d times; the source has moved on, and the bug has to follow:\n%s", b.name, b.file, n, b.old)
		}
		if !strings.Contains(page, "| "+b.what+" |") {
			t.Errorf("docs/check.md does not name the bug %q", b.what)
		}
	}
}

// TestPlantedBugs builds bench anew with one bug at a time and lets the build
// check itself: it must fail, bit by bit and by statistics alone. The same
// build without a bug must pass. It takes minutes: DGSBENCH_PLANTED is 1/1 for all
// bugs, or 1/2 and 2/2 for every other one; the build without a bug is then left out.
func TestPlantedBugs(t *testing.T) {
	if os.Getenv("DGSBENCH_PLANTED") == "" {
		t.Skip("DGSBENCH_PLANTED is not set: it builds and measures for minutes")
	}
	var part, parts int
	if _, err := fmt.Sscanf(os.Getenv("DGSBENCH_PLANTED"), "%d/%d", &part, &parts); err != nil || part < 1 || part > parts {
		t.Fatalf("DGSBENCH_PLANTED is %q, expected 1/1, or a part such as 1/2", os.Getenv("DGSBENCH_PLANTED"))
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if parts == 1 {
		clean := build(t, root, bug{})
		for _, how := range [][]string{nil, {"--statistical"}} {
			if r, code := check(t, clean, how...); code != 0 || !r.Same() {
				t.Fatalf("without a bug, bench check %s: exit code %d\n%s", how, code, r.Verdict())
			}
		}
	}
	table := "| bug | bit by bit | by statistics | findings | seen by statistics in |\n|---|---|---|---|---|\n"
	for i, b := range bugs {
		if i%parts != part-1 {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			dir := build(t, root, b)
			exact, code := check(t, dir)
			if code != 1 || exact.Same() {
				t.Errorf("bit by bit: exit code %d, expected 1\n%s", code, exact.Verdict())
			}
			statistical, code := check(t, dir, "--statistical")
			if code != 1 || statistical.Same() {
				t.Errorf("by statistics: exit code %d, expected 1\n%s", code, statistical.Verdict())
			}
			table += line(b, exact, statistical)
		})
	}
	t.Log("\n" + table)
}

// build makes bench with the bug, in a folder of its own. The source itself
// stays as it is: the compiler is told of another file in its place.
func build(t *testing.T, root string, b bug) (dir string) {
	t.Helper()
	dir = t.TempDir()
	args := []string{"build", "-o", filepath.Join(dir, "bench")}
	if b.file != "" {
		args = append(args, "-overlay", overlay(t, dir, filepath.Join(root, b.file), b))
	}
	cmd := exec.Command("go", append(args, "./cmd/bench")...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

// overlay writes the file with the bug and says so to the compiler. The text
// is there exactly once: see TestBugsFit.
func overlay(t *testing.T, dir, source string, b bug) string {
	t.Helper()
	text := read(t, source)
	patched := filepath.Join(dir, "patched.go")
	write(t, patched, []byte(strings.Replace(text, b.old, b.new, 1)))
	data, err := json.Marshal(map[string]map[string]string{"Replace": {source: patched}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	write(t, file, data)
	return file
}

// check runs bench check of a build; the second time it finds everything
// measured.
func check(t *testing.T, dir string, more ...string) (regression.Outcome, int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "bench"), append([]string{"check", "--json", "--out", dir}, more...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var r regression.Outcome
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("bench check: %v, exit code %d\n%s", err, cmd.ProcessState.ExitCode(), stderr.String())
	}
	return r, cmd.ProcessState.ExitCode()
}

// line is a bug's row in the table of docs/check.md.
func line(b bug, exact, statistical regression.Outcome) string {
	var kinds, models []string
	for _, f := range statistical.Findings {
		kinds = append(kinds, string(f.Kind))
	}
	for _, r := range statistical.Rows {
		if r.Moved {
			models = append(models, fmt.Sprintf("%s %s", r.Model, r.Task))
		}
	}
	slices.Sort(kinds)
	slices.Sort(models)
	return fmt.Sprintf("| %s | %d of %d | %d | %s | %s |\n", b.what, count(exact), len(exact.Rows), count(statistical),
		strings.Join(slices.Compact(kinds), ", "), strings.Join(slices.Compact(models), ", "))
}

func count(r regression.Outcome) (moved int) {
	for _, row := range r.Rows {
		if row.Moved {
			moved++
		}
	}
	return moved
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
