package cli

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const shownSuite = `name: toy-latency
title: Toy
protocol: {batch: 20, epochs: 2}
runs:
  - {task: nc, datasets: [toy], models: [user-count, raw]}
  - {task: nc, datasets: [toy], models: [raw], protocol: {latency: {batches: 20, iterations: 3, lead: 40}}}
tables:
  show: [nc, auc-runtime, {table: datasets, title: Sizes}, gs-dgs]
`

// TestTableFormats: what all leaves is what tables prints, and the figure is
// there twice.
func TestTableFormats(t *testing.T) {
	dir := latencyWorkplace(t, shownSuite)
	args := latencyArgs(dir)
	args[0] = "all"
	code, printed, stderr := bench(args...)
	if code != exitDone {
		t.Fatal(stderr)
	}
	for _, want := range []string{"Node classification, test events (toy-latency: Toy)", "AUC against runtime", "Sizes", "More notes (", "Made of:"} {
		if !strings.Contains(printed, want) {
			t.Errorf("no %q in\n%s", want, printed)
		}
	}
	args[0] = "tables"
	for _, columns := range []string{"1", "80", "120", "200", "9999"} {
		t.Setenv("COLUMNS", columns)
		_, narrow, _ := bench(args...)
		width := min(max(atoi(t, columns), 80), 200)
		for line := range strings.Lines(narrow) {
			if n := utf8.RuneCountInString(line) - 1; n > width && !strings.Contains(line, dir) { // no word is broken
				t.Errorf("COLUMNS=%s: %d columns: %s", columns, n, line)
			}
		}
		if rows := strings.Count(narrow, "\n Raw "); columns == "200" && rows != 2 {
			t.Errorf("Raw has %d rows in two tables of 200 columns:\n%s", rows, narrow)
		}
	}
	if _, all, _ := bench(append(args, "--notes")...); strings.Contains(all, "More notes") || !strings.Contains(all, "a rule with nothing to learn") {
		t.Errorf("--notes prints\n%s", all)
	}
	for format, file := range map[string]string{"markdown": "tables.md", "latex": "tables.tex", "html": "tables.html"} {
		_, got, _ := bench(append(args, "--format", format)...)
		if left := read(t, dir, "out", "toy-latency", file); got != left {
			t.Errorf("--format %s prints\n%s\nand %s is\n%s", format, got, file, left)
		}
	}
	if svg := read(t, dir, "out", "toy-latency", "auc-runtime.svg"); !strings.Contains(svg, "<svg") {
		t.Errorf("the SVG is\n%s", svg)
	}
	picture, err := os.ReadFile(filepath.Join(dir, "out", "toy-latency", "auc-runtime.png"))
	if err == nil {
		_, err = png.Decode(bytes.NewReader(picture))
	}
	if err != nil {
		t.Error(err)
	}
}

// TestUnknownTable: said before anything is measured.
func TestUnknownTable(t *testing.T) {
	dir := latencyWorkplace(t, strings.Replace(shownSuite, "[nc,", "[ncs,", 1))
	args := latencyArgs(dir)
	args[0] = "all"
	code, _, stderr := bench(args...)
	if code != exitUsage || !strings.Contains(stderr, `tables.show[0]: unknown table "ncs" (did you mean "nc"?)`) {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("something was measured")
	}
}

// atoi returns the number that a text is.
func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
