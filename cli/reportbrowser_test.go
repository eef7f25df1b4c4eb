package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/page"
	"dgsbench/results/table"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestReportInBrowser opens the page in a real browser: nothing is requested
// and nothing complained about, and it can be read on a phone and on a desk,
// light and dark, by eye and by screen reader.
func TestReportInBrowser(t *testing.T) {
	program := chromium(t)
	dir, args := reported(t)
	measure(t, tuneToy(dir, "out")...)
	out, again := filepath.Join(dir, "out"), filepath.Join(dir, "copy")
	measure(t, append([]string{"all", "--seeds", "2", "--out", again}, args...)...)
	pages := map[string]string{}
	for name, folders := range map[string][]string{"one": {out}, "two": {out, again}} {
		pages[name] = filepath.Join(dir, name+" page#1.html") // as people call their files
		measure(t, slices.Concat([]string{"report"}, folders, []string{pages[name]}, args)...)
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBrowser(t, program, page)
			b.checkFolding()
			b.checkContents()
			for _, width := range pageWidths {
				b.checkFilter(width)
			}
			b.do(chromedp.Evaluate[chromedp.Void](unfold))
			b.checkFits(name)
			b.checkStacking()
			b.checkStructure()
			b.checkKeyboard()
			b.checkPaper()
			b.check()
		})
	}
}

// TestSortingInBrowser sorts by mouse and keyboard: numbers and times by value, words
// and what is missing below them, and each block for itself.
func TestSortingInBrowser(t *testing.T) {
	program := chromium(t)
	column := func(texts ...string) (rows []table.Row) {
		for _, text := range texts {
			rows = append(rows, table.Row{{Text: "row of " + text}, {Text: text}})
		}
		return rows
	}
	numbers := table.Table{
		Name: "numbers", Title: "Numbers", Columns: []table.Column{{Head: "model"}, {Head: "ms", Notes: []int{1}}}, Notes: []string{"a note"},
		Blocks: [][]table.Row{column("9", "1,234 / 5", "–", "none", "-3", "10.50", "1e-05", "80%"), column("≥ 2", "1.7ms", "invalid", "340ns")},
	}
	file := filepath.Join(t.TempDir(), "sorted.html")
	var text bytes.Buffer
	if err := (page.Page{Title: "Sorting", Folders: []page.Folder{{Name: "made up", Report: results.Report{Tables: []table.Table{numbers}}}}}).Write(&text); err != nil {
		t.Fatal(err)
	}
	write(t, file, text.String())
	b := openBrowser(t, program, file)
	expect := func(how, sort, order string) {
		t.Helper()
		got := strings.Join(b.texts(`[...document.querySelectorAll("#numbers tbody tr td")].map(c => c.textContent)`), " | ")
		if got != order {
			t.Errorf("%s: the rows are %s, expected %s", how, got, order)
		}
		if got := b.texts(`[...document.querySelectorAll("#numbers thead th")].map(h => h.ariaSort)`); got[0] != "none" || got[1] != sort {
			t.Errorf("%s: aria-sort is %q, expected %s in the second column", how, got, sort)
		}
		if said := b.texts(`[document.getElementById("said").textContent]`)[0]; sort != "none" && said != "sorted by ms, "+sort {
			t.Errorf("%s: screen readers are told %q", how, said)
		}
	}
	button := chromedp.CSS("#numbers thead th:nth-child(2) button")
	b.do(chromedp.Click(button))
	expect("click", "ascending", "-3 | 1e-05 | 9 | 10.50 | 80% | 1,234 / 5 | none | – | 340ns | 1.7ms | ≥ 2 | invalid")
	b.do(chromedp.Focus(button), chromedp.KeyEvent(kb.Enter))
	expect("Enter", "descending", "1,234 / 5 | 80% | 10.50 | 9 | 1e-05 | -3 | none | – | ≥ 2 | 1.7ms | 340ns | invalid")
	b.do(chromedp.KeyEvent(" "))
	expect("space bar", "none", "9 | 1,234 / 5 | – | none | -3 | 10.50 | 1e-05 | 80% | ≥ 2 | 1.7ms | invalid | 340ns")
	b.do(chromedp.Click(chromedp.CSS("#numbers thead th:nth-child(1) button")), chromedp.Click(button))
	expect("click after another column", "ascending", "-3 | 1e-05 | 9 | 10.50 | 80% | 1,234 / 5 | none | – | 340ns | 1.7ms | ≥ 2 | invalid")
	b.check()
}

// TestDatasetInBrowser: panels of figures and answers of the summary about another
// dataset than the chosen one are hidden, and so are all without the text.
func TestDatasetInBrowser(t *testing.T) {
	program := chromium(t)
	made := results.Report{Summary: results.Summary{Answers: []results.Answer{{Dataset: "one", Best: "DGS is best."}, {Dataset: "two", Best: "Raw is best."}}}}
	drawn := figure.Panel{Series: []figure.Series{{Mark: figure.Dot, Points: []figure.Point{figure.At(1, 1)}}}}
	one, two := drawn, drawn
	one.Group, two.Group = "one", "two"
	for _, name := range []string{"first", "second"} {
		f, err := figure.Draw(figure.Size{Width: 8, Height: 6}, 2, []figure.Panel{one, two})
		if err != nil {
			t.Fatal(err)
		}
		f.Name, f.Title = name, name
		made.Figures = append(made.Figures, f)
	}
	file := filepath.Join(t.TempDir(), "made up.html")
	var text bytes.Buffer
	if err := (page.Page{Title: "Filtering", Folders: []page.Folder{{Name: "made up", Report: made}}}).Write(&text); err != nil {
		t.Fatal(err)
	}
	write(t, file, text.String())
	b := openBrowser(t, program, file)
	for query, want := range map[string]string{
		"?text=":                "DGS is best.; Raw is best.; one; two; one; two",
		"?dataset=two":          "Raw is best.; two; two",
		"?text=dgs":             "DGS is best.",
		"?text=second":          "one; two",
		"?text=zzz":             "",
		"?dataset=one&text=raw": "",
	} {
		b.do(chromedp.Navigate(b.address + query))
		b.allow(b.address + query)
		b.expect(query, want, `[...document.querySelectorAll(".answer, .panel")].filter(e => e.checkVisibility()).map(e => e.matches(".panel") ? e.closest("[data-dataset]").dataset.dataset : e.textContent.trim()).join("; ")`)
	}
	b.check()
}

// pageWidths are those of a phone, half a screen and a desk.
var pageWidths = []int64{390, 960, 1600}

// unfold opens everything that is folded.
const unfold = `document.querySelectorAll("details").forEach(d => d.open = true)`

// checkFits looks at the page at all widths, at its colours light and dark, and keeps
// pictures.
func (b *browser) checkFits(name string) {
	b.t.Helper()
	const wider = `[...document.querySelectorAll("body *")]
		.filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".wide, .skip") && !e.parentElement.closest("svg"))
		.map(e => e.outerHTML.slice(0, 120))`
	for _, width := range pageWidths {
		for _, scheme := range []string{"light", "dark"} {
			b.view(width, scheme)
			if low := b.texts(lowContrast); len(low) > 0 {
				b.t.Errorf("%d wide, %s: hard to read: %q", width, scheme, low)
			}
			b.screenshot(fmt.Sprintf("%s-%d-%s", name, width, scheme))
		}
		if got := b.texts(`[String(document.documentElement.scrollWidth)]`)[0]; got != fmt.Sprint(width) {
			b.t.Errorf("%d wide: the page is %s wide", width, got)
		}
		for _, e := range b.texts(wider) {
			b.t.Errorf("%d wide: sticks out: %s", width, e)
		}
		for _, e := range b.texts(namesThatLeave) {
			b.t.Errorf("%d wide: the name of a row is scrolled away: %s", width, e)
		}
	}
}

// namesThatLeave lists names of rows that do not stay beside their values when
// a table is scrolled sideways. Long texts are no names.
const namesThatLeave = `[...document.querySelectorAll(".wide:has(table)")].flatMap(box => {
	box.scrollLeft = 1e6;
	const names = [...box.querySelectorAll("tbody tr")].map(row => [...row.querySelectorAll("th")]).filter(heads => heads.length < 3).map(heads => heads.at(-1));
	const left = names.filter(n => !n.matches(".words") && n.getBoundingClientRect().left < box.getBoundingClientRect().left - 1).map(n => n.textContent);
	box.scrollLeft = 0;
	return left;
})`

// lowContrast lists texts whose colour is too near to that behind them, by
// WCAG 2.2 (4.5:1). Figures pass a filter in the dark.
const lowContrast = `(() => {
	const rgb = c => c.match(/[\d.]+/g).map(Number);
	const light = ([r, g, b]) => { [r, g, b] = [r, g, b].map(x => (x /= 255) <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
		return .2126 * r + .7152 * g + .0722 * b; };
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const seen = (color, filter) => {
		if (filter === "none") return rgb(color);
		canvas.filter = filter;
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data];
	};
	const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgb(c)[3] !== 0) return c; } };
	const out = new Set();
	for (const e of document.querySelectorAll("h1, h2, h3, p, a, li, code, summary, figcaption, caption, th, td, small, label, legend, button, .note, .chart text, .drawing text")) {
		const style = getComputedStyle(e), ink = e instanceof SVGElement ? style.fill : style.color;
		const drawing = e.closest(".drawing svg"), filter = drawing ? getComputedStyle(drawing).filter : "none";
		const back = drawing ? seen("rgb(255, 255, 255)", filter) : rgb(behind(e));
		const [a, b] = [light(seen(ink, filter)), light(back)].sort((x, y) => y - x);
		if ((a + .05) / (b + .05) < 4.5) out.add(e.nodeName + " " + ink + " on " + back);
	}
	return [...out];
})()`

// checkStructure holds the page to what screen readers go by.
func (b *browser) checkStructure() {
	b.t.Helper()
	for what, script := range map[string]string{
		"identifiers that are there twice": `(ids => ids.filter((id, i) => ids.indexOf(id) !== i))([...document.querySelectorAll("[id]")].map(e => e.id))`,
		"links to nowhere":                 `[...document.querySelectorAll("a[href]")].map(a => a.getAttribute("href")).filter(h => !h.startsWith("#") || !document.getElementById(h.slice(1)))`,
		"labels that are not there":        `[...document.querySelectorAll("[aria-labelledby]")].flatMap(e => e.getAttribute("aria-labelledby").split(" ")).filter(id => !document.getElementById(id)?.textContent)`,
		"drawings without a name":          `[...document.querySelectorAll("svg:not(svg svg)")].filter(s => s.getAttribute("role") !== "img" || !(s.ariaLabel || s.querySelector(":scope > title")?.textContent)).map(s => s.outerHTML.slice(0, 100))`,
		"texts of figures without a style": `[...document.querySelectorAll(".drawing text:not([style])")].map(e => e.outerHTML)`,
		"drawings without numbers":         `[...document.querySelectorAll("figure")].filter(f => !/\d/.test(f.querySelector(":scope > p")?.textContent) && !f.querySelector("figcaption a")).map(f => f.textContent.slice(0, 100))`,
		"tables without a caption":         `[...document.querySelectorAll("table")].filter(t => !t.caption?.textContent).map(t => t.outerHTML.slice(0, 100))`,
		"heads without a scope":            `[...document.querySelectorAll("th")].filter(h => !h.scope).map(h => h.outerHTML)`,
		"buttons without a name":           `[...document.querySelectorAll("button")].filter(b => !b.textContent.trim()).map(b => b.parentElement.outerHTML)`,
		"headings that skip a level":       `[...document.querySelectorAll("h1, h2, h3")].filter((h, i, all) => i > 0 && h.nodeName[1] - all[i - 1].nodeName[1] > 1).map(h => h.textContent)`,
		"boxes that keys cannot scroll":    `[...document.querySelectorAll(".wide")].filter(e => e.tabIndex !== 0).map(e => e.id)`,
		"elements that came out of names":  `[...document.querySelectorAll("img, script:not(body > script:last-of-type)")].map(e => e.outerHTML.slice(0, 100))`,
	} {
		if found := b.texts(script); len(found) > 0 {
			b.t.Errorf("%s: %q", what, found)
		}
	}
	landmarks := strings.Join(b.texts(`["header", "nav", "main", "h1"].map(n => n + " " + document.querySelectorAll(n).length)`), ", ")
	if landmarks != "header 1, nav 1, main 1, h1 1" {
		b.t.Errorf("landmarks: %s", landmarks)
	}
}

// checkKeyboard goes to everything that keys reach: the first stop leads past
// the menu, and at each it can be seen where one is.
func (b *browser) checkKeyboard() {
	b.t.Helper()
	b.do(chromedp.Navigate(b.address), chromedp.KeyEvent(kb.Tab))
	first := b.texts(`[document.activeElement.textContent, String(document.activeElement.getBoundingClientRect().left >= 0)]`)
	if first[0] != "Skip to the content" || first[1] != "true" {
		b.t.Errorf("the first stop of the keyboard is %q", first)
	}
	b.do(chromedp.Evaluate[chromedp.Void](unfold))
	for _, e := range b.texts(`[...document.querySelectorAll("a[href], button, summary, .wide")].filter(e => {
		e.focus({ preventScroll: true });
		const style = getComputedStyle(e);
		return document.activeElement === e && (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2);
	}).map(e => e.outerHTML.slice(0, 100))`) {
		b.t.Errorf("the focus cannot be seen: %s", e)
	}
}

// checkPaper lays the page out as it is printed: tables are as wide as they
// are, and no sheet shows more than that of A4, lying, less its margins.
func (b *browser) checkPaper() {
	b.t.Helper()
	const sheet = 1032
	b.view(sheet, "light")
	paper := emulation.SetEmulatedMediaParams{Media: "print"}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, paper); err != nil {
		b.t.Fatal(err)
	}
	for _, e := range b.texts(`[...document.querySelectorAll("table, svg")].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML.slice(0, 150))`) {
		b.t.Errorf("on paper something is cut off: %s", e)
	}
	if got := b.texts(`[getComputedStyle(document.querySelector(".side")).display, getComputedStyle(document.querySelector("th button"), "::after").display]`); got[0] != "none" || got[1] != "none" {
		b.t.Errorf("on paper there are things to click: %q", got)
	}
}
