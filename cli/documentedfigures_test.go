package cli

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	image   = regexp.MustCompile(`!\[([^]]*)\]\(([^)]+)\)`)
	heading = regexp.MustCompile(`(?m)^##? `)
)

// TestDocumentedFigures: every figure is shown in a document, with words for
// those who do not see it, and with the command that made it in the same
// section. The README shows one.
func TestDocumentedFigures(t *testing.T) {
	root := filepath.Join("..")
	shown := map[string]bool{}
	for _, d := range documents(t, root) {
		if d.name == "help" {
			continue
		}
		text := read(t, root, d.name)
		for _, at := range image.FindAllStringSubmatchIndex(text, -1) {
			alt, file := text[at[2]:at[3]], filepath.Join(filepath.Dir(d.name), text[at[4]:at[5]])
			shown[file] = true
			if len(alt) < 10 || !hasCommand(d, text, at[0]) {
				t.Errorf("%s: %s: no text beside it, or no command in its section", d.name, file)
			}
			read(t, root, file)
		}
		if d.name == "README.md" && len(shown) == 0 {
			t.Error("the README shows no figure")
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "figures", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d figures", err, len(files))
	}
	for _, file := range files {
		if name, err := filepath.Rel(root, file); err != nil || !shown[name] {
			t.Errorf("%s is shown nowhere: %v", name, err)
		}
	}
}

// hasCommand reports whether a command stands in the section around a place
// of the document's text.
func hasCommand(d document, text string, place int) bool {
	lineOf := func(place int) int { return 1 + strings.Count(text[:place], "\n") }
	first, last := 1, lineOf(len(text))
	for _, at := range heading.FindAllStringIndex(text, -1) {
		if at[0] <= place {
			first = lineOf(at[0])
		} else {
			last = lineOf(at[0])
			break
		}
	}
	for _, c := range d.commands {
		_, number, _ := strings.Cut(c.where, ":")
		if line, err := strconv.Atoi(number); err == nil && first <= line && line < last {
			return true
		}
	}
	return false
}
