package cli

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	unslug   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocumentedLinks: what a document links to is there: a file, and the
// heading in it, or an address of the web, of which the form alone is checked.
// Links between pages of docs/ are left to the documentation site (mkdocs.yml).
func TestDocumentedLinks(t *testing.T) {
	root := filepath.Join("..")
	for _, d := range documents(t, root) {
		if d.name == "help" {
			continue
		}
		for _, m := range linked.FindAllStringSubmatch(read(t, root, d.name), -1) {
			if problem := checkLink(root, d.name, m[1]); problem != "" {
				t.Errorf("%s: %s: %s", d.name, m[1], problem)
			}
		}
	}
}

func checkLink(root, document, link string) (problem string) {
	to, err := url.Parse(link)
	switch {
	case err != nil:
		return err.Error()
	case to.Scheme != "":
		if to.Scheme != "https" || !strings.Contains(to.Host, ".") {
			return "expected https and a host"
		}
		return ""
	}
	file := filepath.Join(filepath.Dir(document), filepath.FromSlash(to.Path))
	if to.Path == "" {
		file = document
	}
	inDocs := func(name string) bool { return strings.HasPrefix(name, "docs"+string(filepath.Separator)) }
	if inDocs(document) && inDocs(file) {
		return ""
	}
	info, err := os.Stat(filepath.Join(root, file))
	if err != nil {
		return err.Error()
	}
	if to.Fragment == "" {
		return ""
	}
	if info.IsDir() {
		return "a heading of a folder"
	}
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return err.Error()
	}
	for _, m := range headings.FindAllStringSubmatch(string(text), -1) {
		if slug(m[1]) == to.Fragment {
			return ""
		}
	}
	return "no such heading"
}

// slug is what a heading is called in links.
func slug(heading string) string {
	return strings.ReplaceAll(unslug.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// TestCheckLink: links that lead nowhere are found.
func TestCheckLink(t *testing.T) {
	root := filepath.Join("..")
	for link, sound := range map[string]bool{
		"docs/protocol.md": true, "docs/protocol.md#which-differences-count": true, "LICENSE": true, "https://go.dev": true,
		"docs/nothing.md": false, "docs/protocol.md#nothing": false, "#nothing": false, "http://go.dev": false, "https://nothing": false,
	} {
		if problem := checkLink(root, "README.md", link); (problem == "") != sound {
			t.Errorf("%s: %q", link, problem)
		}
	}
	if problem := checkLink(root, filepath.Join("docs", "cuda.md"), "../nothing"); problem == "" {
		t.Error("a link from docs/ to nothing is sound")
	}
}
