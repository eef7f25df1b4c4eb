package svgtest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dgsbench/internal/svgtest"
)

// TestProblems: each kind of overlap is found, and what is beside a text is none.
func TestProblems(t *testing.T) {
	word := func(x, y int) string {
		return fmt.Sprintf(`<text x="%d" y="%d" transform="scale(1, -1)" style="font-size:10px" textLength="30">word</text>`, x, -y)
	}
	path := func(d, style string) string { return `<path d="` + d + `" style="` + style + `" />` }
	for _, c := range []struct{ drawn, want string }{
		{word(10, 50) + word(10, 62), ""},
		{word(10, 50) + word(35, 55), `"word" overlaps "word"`},
		{word(80, 50), `"word" leaves the page`},
		{word(10, 95), `"word" leaves the page`},
		{`<g transform="translate(20, 0)">` + word(60, 50) + `</g>` + word(10, 50), `"word" leaves the page`},
		{word(10, 50) + path("M0,53L100,53", "fill:none;stroke:#000000"), `"word" covers what is drawn at 0, 47`},
		{word(10, 50) + path("M0,53L100,53", "fill:none;stroke:#E4E4E4"), ""},
		{word(10, 50) + path("M0,60L100,62", "fill:none;stroke:#000000"), ""},
		{word(10, 50) + path("M45,53A3,3 0 1 1 39,53A3,3 0 1 1 45,53Z", "fill:#0072B2"), `"word" covers what is drawn at 45, 47`},
		{word(10, 50) + path("M50,53A3,3 0 1 1 44,53A3,3 0 1 1 50,53Z", "fill:#0072B2"), ""},
		{word(10, 50) + path("M-9,60L50,60", "fill:none;stroke:#000000"), "what is drawn at -9, 40 leaves the page"},
		{word(10, 50) + path("M50,99A3,3 0 1 1 44,99A3,3 0 1 1 50,99Z", "fill:#0072B2"), "what is drawn at 50, 1 leaves the page"},
		{"", "no text"},
	} {
		svg := `<svg width="100pt" height="100pt"><g transform="scale(1, -1) translate(0, -100)">` + c.drawn + `</g></svg>`
		if got := strings.Join(slices.Compact(svgtest.Problems(t, []byte(svg))), "; "); got != c.want {
			t.Errorf("%s:\n%s, expected %s", c.drawn, got, c.want)
		}
	}
}
