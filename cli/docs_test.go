package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dgsbench/datasets"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// console is a command and what it prints, as quoted in documentation.
var console = regexp.MustCompile("(?ms)^```console\n\\$ bench ([^\n]*)\n(.*?)^```$")

// A page shows a commit in the place of the code version, as a built program
// does: the program of a test does not know its own.
var codeVersion = regexp.MustCompile(`code version \S+`)

const someCommit = "code version 86c711d9d3b4"

// TestYourDataPage runs the commands of docs/your-data.md one after the other
// and compares what they print. The digits of measured numbers may differ
// between machines; their places may not.
func TestYourDataPage(t *testing.T) {
	root, err := filepath.Abs(filepath.Join(".."))
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, root, "docs", "your-data.md")
	t.Chdir(t.TempDir())
	t.Cleanup(func() { datasets.SetImported(nil) })
	if err := os.CopyFS(filepath.Join("docs", "your-data"), os.DirFS(filepath.Join(root, "docs", "your-data"))); err != nil {
		t.Fatal(err)
	}
	ran := 0
	got := console.ReplaceAllStringFunc(page, func(block string) string {
		ran++
		return runBlock(t, block)
	})
	if diff := cmp.Diff(page, got); diff != "" {
		write(t, filepath.Join(root, "docs", ".got-your-data.md"), got)
		t.Errorf("the page (-) and its commands (+), the new page is beside it as .got-your-data.md:\n%s", diff)
	}
	events := strings.SplitAfterN(read(t, "docs", "your-data", "payments.csv"), "\n", 4)
	for _, quoted := range []string{"    " + strings.Join(events[:3], "    "), read(t, "docs", "your-data", "payments.yaml")} {
		if !strings.Contains(page, quoted) {
			t.Errorf("the page does not quote\n%s", quoted)
		}
	}
	if ran != 6 {
		t.Errorf("the page has %d commands, expected 6", ran)
	}
}

// runBlock is the block with what its command prints now. Measured numbers
// stay where they differ only by digits.
func runBlock(t *testing.T, block string) string {
	t.Helper()
	digits := regexp.MustCompile(`\d`)
	m := console.FindStringSubmatch(block)
	args := strings.Fields(m[1])
	code, stdout, stderr := bench(args...)
	if code != exitDone {
		t.Fatalf("bench %s: exit code %d\n%s", m[1], code, stderr)
	}
	got := codeVersion.ReplaceAllLiteralString(trimLines(stdout), someCommit)
	if args[0] == "all" && digits.ReplaceAllString(got, "0") == digits.ReplaceAllString(m[2], "0") {
		return block
	}
	return strings.TrimSuffix(block, m[2]+"```") + got + "```"
}

// trimLines takes the blanks off the ends of lines, which editors would.
func trimLines(text string) string {
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, "")
}

// TestYourDataFlags: the page names every flag of import, and no others.
func TestYourDataFlags(t *testing.T) {
	page := read(t, "..", "docs", "your-data.md")
	root := newRoot(nil, nil)
	known := map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	for _, m := range regexp.MustCompile("--([a-z][a-z-]*)").FindAllStringSubmatch(page, -1) {
		if !known[m[1]] {
			t.Errorf("the page names --%s", m[1])
		}
	}
	imports, _, err := root.Find([]string{"data", "import"})
	if err != nil {
		t.Fatal(err)
	}
	imports.Flags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(page, "`--"+f.Name+"`") && f.Name != "help" && f.Name != "quiet" {
			t.Errorf("the page does not explain --%s", f.Name)
		}
	})
}
