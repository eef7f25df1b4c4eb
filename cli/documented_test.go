package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// documented is a command that stands in a document or in a help text.
type documented struct {
	where string   // FILE:LINE, or the command whose help it is
	words []string // of the shell; `go run ./cmd/bench` and `./bench` are bench
}

func (d documented) String() string { return strings.Join(d.words, " ") }

// document is a text with its commands in the order in which they stand, and
// the files that it shows.
type document struct {
	name     string
	commands []documented
	files    map[string]string
	begun    string // a command that goes on in the next line
}

// documents are all that people read commands in. What has been done stands
// in CHANGELOG.md, and may be gone since.
func documents(t *testing.T, root string) []document {
	t.Helper()
	var out []document
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "docs/models/*.md", "peers/README.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(files))
		}
		for _, file := range files {
			name, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, readDocument(name, read(t, file)))
		}
	}
	return append(out, helpTexts())
}

// helpTexts are examples and long descriptions of all commands. Their names
// alone are checked by cobra.
func helpTexts() document {
	d := document{name: "help"}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, line := range strings.Split(c.Example+"\n"+c.Long, "\n") {
			if text, indented := strings.CutPrefix(line, "  "); indented {
				d.add(c.CommandPath()+" --help", text)
			}
		}
		byName := func(a, b *cobra.Command) int { return strings.Compare(a.Name(), b.Name()) } // data comes before what uses it
		for _, sub := range slices.SortedFunc(slices.Values(c.Commands()), byName) {
			visit(sub)
		}
	}
	visit(newRoot(nil, nil))
	return d
}

var (
	inlineCode = regexp.MustCompile("`([^`]+)`")
	assignment = regexp.MustCompile(`^[A-Z_]+=`)
	remark     = regexp.MustCompile(`(^|\s)#.*`)
	shownFile  = regexp.MustCompile(`^# (\S+\.yaml)$`)
)

// readDocument finds the commands of a Markdown text: lines of code, and code
// within a paragraph, which may go on in the next line.
func readDocument(name, text string) document {
	d := document{name: name, files: map[string]string{}}
	var paragraph []string
	start, fenced, shown := 0, false, ""
	flush := func() {
		text := strings.Join(paragraph, "\n")
		for _, at := range inlineCode.FindAllStringSubmatchIndex(text, -1) {
			line := start + strings.Count(text[:at[0]], "\n")
			d.add(fmt.Sprintf("%s:%d", name, line), strings.ReplaceAll(text[at[2]:at[3]], "\n", " "))
		}
		paragraph = nil
	}
	for i, line := range strings.Split(text, "\n") {
		code, indented := strings.CutPrefix(line, "    ")
		switch file := shownFile.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "```"):
			flush()
			fenced, shown = !fenced, ""
		case fenced && file != nil:
			shown = file[1]
		case fenced && shown != "":
			d.files[shown] += line + "\n"
		case fenced:
			d.add(fmt.Sprintf("%s:%d", name, i+1), line)
		case indented && len(paragraph) == 0:
			d.add(fmt.Sprintf("%s:%d", name, i+1), code)
		case strings.TrimSpace(line) == "":
			flush()
		default:
			if len(paragraph) == 0 {
				start = i + 1
			}
			paragraph = append(paragraph, line)
		}
	}
	flush()
	return d
}

// add takes a line of code apart, if it is one of commands.
func (d *document) add(where, line string) {
	line = d.begun + remark.ReplaceAllString(strings.TrimPrefix(line, "$ "), "")
	d.begun = ""
	if begun, open := strings.CutSuffix(line, "\\"); open {
		d.begun = begun
		return
	}
	for _, text := range strings.Split(line, "&&") {
		words := strings.Fields(text)
		for len(words) > 0 && assignment.MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) == 0 || !isProgram(words) {
			continue
		}
		switch {
		case words[0] == "./bench":
			words[0] = "bench"
		case len(words) > 2 && slices.Equal(words[:3], []string{"go", "run", "./cmd/bench"}):
			words = append([]string{"bench"}, words[3:]...)
		}
		d.commands = append(d.commands, documented{where, words})
	}
}

// isProgram tells commands from other code by their first word. In a sentence
// `go build` and `bench` alone are names.
func isProgram(words []string) bool {
	for _, folder := range []string{"scripts/", ".ci/", "peers/", "gpu-check/"} {
		if strings.HasPrefix(words[0], folder) && !strings.HasSuffix(words[0], "/") {
			return true
		}
	}
	return len(words) > 1 && slices.Contains([]string{"bench", "./bench", "go", "python", "python3", "tar"}, words[0])
}

// TestReadDocument: what counts as a command, and what does not.
func TestReadDocument(t *testing.T) {
	got := readDocument("page.md", "Say `bench all\n--suite x`, or `bench` or `kernels/cpu`.\n\n"+
		"    DIR=x go run ./cmd/bench tables \\\n        --notes   # a remark\n    bench-out/quick\n\n"+
		"```console\n$ ./bench run a.yaml && scripts/x\nbenches: 4\n```\n\n"+
		"```yaml\n# a.yaml\nid: bench all\n```\n")
	want := []string{"page.md:1 bench all --suite x", "page.md:5 bench tables --notes", "page.md:9 bench run a.yaml", "page.md:9 scripts/x"}
	var have []string
	for _, c := range got.commands {
		have = append(have, c.where+" "+c.String())
	}
	if !slices.Equal(have, want) || got.files["a.yaml"] != "id: bench all\n" {
		t.Errorf("commands %q, expected %q; files %q", have, want, got.files)
	}
}
