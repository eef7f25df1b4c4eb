package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// overlapScript returns the texts of a drawing that overlap each other or leave it, as
// the browser's own fonts draw them.
const overlapScript = `(() => {
	const page = document.documentElement.getBoundingClientRect(), found = [];
	const texts = [...document.querySelectorAll("text")].map(e => ({text: e.textContent, box: e.getBoundingClientRect()}));
	const edge = .5; // of a pixel
	texts.forEach((a, i) => {
		if (a.box.left < page.left - edge || a.box.right > page.right + edge || a.box.top < page.top - edge || a.box.bottom > page.bottom + edge)
			found.push(a.text + " leaves the page");
		for (const b of texts.slice(i + 1))
			if (a.box.left + edge < b.box.right && b.box.left + edge < a.box.right && a.box.top + edge < b.box.bottom && b.box.top + edge < a.box.bottom)
				found.push(a.text + " overlaps " + b.text);
	});
	return texts.length > 0 ? found : ["no text"];
})()`

// TestFiguresInBrowser: in no committed figure do texts overlap, whatever fonts the
// browser has.
func TestFiguresInBrowser(t *testing.T) {
	t.Parallel()
	program := chromium(t)
	files, err := filepath.Glob(filepath.Join("..", "docs", "figures", "*.svg"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	overlapping := filepath.Join(t.TempDir(), "overlapping.svg")
	drawn := `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="50"><text x="10" y="20">one</text><text x="15" y="25">two</text><text x="190" y="20">three</text></svg>`
	if err := os.WriteFile(overlapping, []byte(drawn), 0o600); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, program, overlapping)
	if got := b.texts(overlapScript); !slices.Equal(got, []string{"one overlaps two", "three leaves the page"}) {
		t.Fatalf("of a drawing with overlaps: %q", got)
	}
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		b.open(path)
		for _, problem := range b.texts(overlapScript) {
			t.Errorf("%s: %s", file, problem)
		}
		b.check()
	}
}
