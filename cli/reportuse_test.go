package cli

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// visible is a function that reports whether an element is on the screen.
const visible = `(e => e.checkVisibility() && e.getBoundingClientRect().bottom > 0 && e.getBoundingClientRect().top < innerHeight)`

// wait waits until an expression holds. chromedp.Poll would need a script that the
// page's policy forbids.
func (b *browser) wait(what, script string) {
	b.t.Helper()
	for range 100 {
		if b.texts("[String(" + script + ")]")[0] == "true" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.t.Errorf("%s: waited in vain for %s", what, script)
}

// expect fails unless an expression gives the text.
func (b *browser) expect(what, want, script string) {
	b.t.Helper()
	if got := b.texts("[String(" + script + ")]")[0]; got != want {
		b.t.Errorf("%s: got %q, expected %q", what, got, want)
	}
}

// checkFolding folds and unfolds sections by click, and follows links to what is
// folded.
func (b *browser) checkFolding() {
	b.t.Helper()
	b.view(960, "light")
	heading, table := chromedp.CSS("#tables > details > summary"), `document.getElementById("nc")`
	b.expect("the first table", "true", table+".checkVisibility()")
	b.do(chromedp.Click(heading))
	b.expect("the first table after its section is folded", "false", table+".checkVisibility()")
	b.do(chromedp.Focus(heading), chromedp.KeyEvent(kb.Enter))
	b.expect("the first table after Enter on the section", "true", table+".checkVisibility()")
	b.do(chromedp.Click(heading))
	for _, id := range b.texts(`["nc", document.querySelector("[id^=curves-]").id, document.querySelector("details details [id^=spec-]").id]`) {
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("location.hash = %q", id)))
		b.expect("a link to #"+id, "true", fmt.Sprintf("%s(document.getElementById(%q))", visible, id))
	}
	if first := b.texts(`[...document.querySelectorAll("section.section")].map(s => s.id)`); first[0] != "summary" || first[len(first)-1] != "provenance" {
		b.t.Errorf("the sections are %q, expected the summary first and what made the page last", first)
	}
	b.expect("figures before the first table", "true", `document.querySelector("figure").compareDocumentPosition(document.querySelector("#tables")) === Node.DOCUMENT_POSITION_FOLLOWING`)
}

// checkContents: the contents stay in view and mark where the reader is, and on a
// phone they take no more of the screen than a bar.
func (b *browser) checkContents() {
	b.t.Helper()
	for _, width := range pageWidths {
		b.view(width, "light")
		where := fmt.Sprintf("%d wide: ", width)
		for _, id := range []string{"specs", "provenance"} {
			b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(location.hash = %q, document.getElementById(%[1]q).scrollIntoView())`, id)))
		}
		if width >= 1100 {
			b.expect(where+"contents at the end of the page", "true", visible+`(document.getElementById("contents"))`)
			b.do(chromedp.Click(chromedp.CSS(`#contents a[href="#tables"]`)))
			b.wait(where+"the mark in the contents", `document.querySelector("#contents [aria-current]")?.closest(".reading") && document.querySelector("#contents .reading > a").hash === "#tables"`)
			continue
		}
		b.expect(where+"height of the bar, at most", "true", `document.querySelector(".side").getBoundingClientRect().height <= 56 && document.querySelector(".side").getBoundingClientRect().top === 0`)
		b.expect(where+"contents that nobody has opened", "false", `document.getElementById("contents").checkVisibility()`)
		b.do(chromedp.Click(chromedp.CSS(".menu")))
		b.expect(where+"contents after a click", "true", visible+`(document.getElementById("contents"))`)
		b.do(chromedp.Click(chromedp.CSS(`#contents a[href="#tables"]`)))
		b.expect(where+"contents after a link is followed", "false", `document.getElementById("contents").checkVisibility()`)
		b.wait(where+"the section named in the bar", `document.querySelector(".here").textContent === "Tables"`)
	}
	if lost := b.texts(`[...document.querySelectorAll("section.section")].filter(s => !document.querySelector('#contents a[href="#' + s.id + '"]')).map(s => s.id)`); len(lost) > 0 {
		b.t.Errorf("sections that are not in the contents: %q", lost)
	}
}

// checkFilter chooses a model by keyboard: what is about others is hidden and
// counted, the address has the choice, and it can be undone.
func (b *browser) checkFilter(width int64) {
	b.t.Helper()
	const (
		rows  = `[...document.querySelectorAll("#nc tbody tr")].filter(r => r.checkVisibility()).map(r => r.cells[0].textContent).join("; ")`
		note  = `document.getElementById("hidden-note").checkVisibility() && document.querySelector("#hidden-note span").textContent`
		drawn = `[...document.querySelectorAll(".chart")].filter(c => c.checkVisibility()).map(c => c.querySelector("figcaption").textContent.replace(/, [AB]$/, "")).filter((t, i, all) => all.indexOf(t) === i).join("; ")`
	)
	b.view(width, "light")
	b.do(chromedp.Evaluate[chromedp.Void](unfold))
	b.expect("what is said before anything is chosen", "false", note)
	all := b.texts("[" + rows + "]")[0]
	b.do(chromedp.Focus(chromedp.CSS("#filter-button")), chromedp.KeyEvent(kb.Enter), chromedp.Focus(chromedp.CSS(`input[name=model][value=Graph-Sprints]`)), chromedp.KeyEvent(" "))
	b.expect("the rows of Graph-Sprints", "Graph-Sprints", rows)
	b.expect("the charts of Graph-Sprints", "Graph-Sprints", drawn)
	b.expect("the count beside the open filter", "true", `(e => e.contains(document.elementFromPoint(e.getBoundingClientRect().left + 2, e.getBoundingClientRect().top + 2)))(document.querySelector("#hidden-note span"))`)
	said := b.texts("[String(" + note + ")]")[0]
	var hidden, of int
	if _, err := fmt.Sscanf(said, "%d of %d rows and ", &hidden, &of); err != nil || hidden == 0 || hidden >= of || !strings.HasSuffix(said, " charts hidden; figures have the lines of all models") {
		b.t.Errorf("what is hidden is given as %q", said)
	}
	b.expect("hidden rows of all tables", strconv.Itoa(hidden), `document.querySelectorAll("main tbody tr[hidden]").length`)
	b.expect("what the table says", fmt.Sprintf("%d of %[1]d rows", strings.Count(all, ";")+1), `document.querySelector("#nc .left-out").textContent.replace(/^\d+/, m => Number(m) + 1).replace(" hidden", "")`)
	b.expect("the address", "?model=Graph-Sprints", "location.search")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.expect("the filter after Escape", "false", `document.getElementById("filter").checkVisibility()`)

	// Whoever gets the address has the same before their eyes.
	address := b.texts("[location.href]")[0]
	if u, err := url.Parse(address); err != nil || u.Scheme != "file" {
		b.t.Fatal(address, err)
	}
	b.do(chromedp.Navigate(address))
	b.allow(address)
	b.expect("the rows at the same address", "Graph-Sprints", rows)
	b.do(chromedp.Focus(chromedp.CSS("#filter-button")), chromedp.KeyEvent(kb.Enter), chromedp.SendKeys(chromedp.CSS("#filter-text"), "no such row"))
	b.expect("what has a text that is nowhere", "0", `[...document.querySelectorAll("main tbody tr, .chart, .panel, .answer, .section")].filter(e => e.checkVisibility()).length`)
	b.do(chromedp.Click(chromedp.CSS("#filter [popovertarget]")), chromedp.Click(chromedp.CSS("#clear")))
	b.wait("the filter is cleared", `location.search === ""`)
	b.expect("all rows again", all, rows)
	b.expect("what is said afterwards", "false", note)
}

// checkStacking: on a phone, the panels of a figure stand below one another, need
// no scrolling, and have letters that can be read; on a desk they share a row.
func (b *browser) checkStacking() {
	b.t.Helper()
	const columns = `Math.max(...[...document.querySelectorAll(".panels")].map(p => new Set([...p.children].map(c => Math.round(c.getBoundingClientRect().left))).size))`
	b.view(1600, "light")
	b.expect("panels beside each other on a desk", "2", columns)
	b.view(390, "light")
	b.expect("panels beside each other on a phone", "1", columns)
	b.expect("boxes of figures that scroll sideways", "0", `[...document.querySelectorAll(".drawing")].filter(e => { for (; e; e = e.parentElement) if (getComputedStyle(e).overflowX === "auto" && e.scrollWidth > e.clientWidth) return true; }).length`)
	if small := b.texts(`[...document.querySelectorAll(".drawing text, .chart text")].filter(e => e.checkVisibility()).map(e => [e, parseFloat(getComputedStyle(e).fontSize) * Math.hypot(e.getScreenCTM().c, e.getScreenCTM().d)])
		.filter(([e, size]) => size < 9).map(([e, size]) => e.textContent + " " + size.toFixed(1))`); len(small) > 0 {
		b.t.Errorf("letters of less than 9 pixels in figures: %q", small)
	}
}

// TestReportWithoutScript: where scripts do not run, the page can be read, folded
// and navigated.
func TestReportWithoutScript(t *testing.T) {
	program := chromium(t)
	dir, args := reported(t)
	measure(t, append([]string{"report", "--out", dir + "/out", dir + "/page.html"}, args...)...)
	t.Parallel() // bench has run in this process until here
	b := openBrowser(t, program, dir+"/page.html")
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(b.address))
	b.expect("buttons that sort", "0", `document.querySelectorAll("th button").length`)
	b.expect("a filter that would not work", "false", `document.getElementById("filter-button").checkVisibility()`)
	b.view(1600, "light")
	b.expect("contents on a desk", "true", visible+`(document.querySelector("#contents a[href='#nc']"))`)
	b.view(390, "light")
	b.do(chromedp.Click(chromedp.CSS(".menu")), chromedp.Click(chromedp.CSS(`#contents a[href="#nc"]`)))
	b.expect("a table that the contents lead to", "true", visible+`(document.getElementById("nc"))`)
	b.check()
}
