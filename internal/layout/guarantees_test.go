package layout

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// proof is a test as docs/guarantees.md names it: package, then function.
var proof = regexp.MustCompile("`([a-z/0-9]+) ((?:Test|Fuzz)[A-Za-z0-9_]+)`")

// TestGuarantees holds docs/guarantees.md against the tests: every promise
// names at least one, and every test that it names exists.
func TestGuarantees(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "guarantees.md"))
	if err != nil {
		t.Fatal(err)
	}
	promises := 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise") {
			continue
		}
		promises++
		named := proof.FindAllStringSubmatch(line, -1)
		if len(named) == 0 {
			t.Errorf("a promise names no test: %s", line)
		}
		for _, m := range named {
			if !declares(t, m[1], m[2]) {
				t.Errorf("%s has no %s, which docs/guarantees.md names", m[1], m[2])
			}
		}
	}
	if promises == 0 {
		t.Error("docs/guarantees.md has no promises")
	}
}

// TestClaims holds docs/claims.md against the tests: those that it names exist.
func TestClaims(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "claims.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?m)^    go test \./(\S+) -run '\^(\w+)\$'$`).FindAllStringSubmatch(string(page), -1)
	for _, m := range named {
		if !declares(t, m[1], m[2]) {
			t.Errorf("%s has no %s, which docs/claims.md names", m[1], m[2])
		}
	}
	if len(named) < 10 {
		t.Errorf("docs/claims.md names %d tests", len(named))
	}
}

// declares reports whether a test file of the package declares the function.
func declares(t *testing.T, dir, function string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+function+"(") {
			return true
		}
	}
	return false
}
