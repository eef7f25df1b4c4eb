package table

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/escape"
)

// style is how an entry becomes text.
type style struct {
	best, second func(string) string
	marks        string             // what best and second look like
	numbers      func([]int) string // of footnotes
	aligned      bool               // means of one column have their points below each other
	// text is a text as the style writes it: no more than text.
	text func(string) string
}

// plainStyle marks places with signs.
func plainStyle() style {
	return style{
		best:    func(s string) string { return s + "*" },
		second:  func(s string) string { return s + "+" },
		numbers: superscript, aligned: true, text: escape.Text,
		marks: "*: best, +: second",
	}
}

// terminalStyle marks places with ANSI escape sequences.
func terminalStyle() style {
	bold := func(s string) string { return "\x1b[1m" + s + "\x1b[0m" }
	underlined := func(s string) string { return "\x1b[4m" + s + "\x1b[0m" }
	return style{
		best: bold, second: underlined, numbers: superscript, aligned: true, text: escape.Text,
		marks: bold("best") + " and " + underlined("second"),
	}
}

// lines are the parts of an entry that may stand on lines of their own: mean
// and interval, or a published mean and its deviation.
func (s style) lines(k Kind, e Entry) []string {
	notes := s.numbers(e.Notes)
	switch {
	case e.Value == nil && k == Text:
		return []string{s.text(e.Text) + notes}
	case e.Value == nil:
		return []string{s.text(NoValue) + notes}
	}
	v := e.Value
	mean, std := v.signed(v.Mean), v.format(v.Std)
	pad := ""
	if s.aligned && k != Ranks {
		pad = strings.Repeat(" ", max(0, len("10.")+v.Decimals-len(mean)))
	}
	if v.Approximate {
		mean = s.text("≈") + mean
	}
	if std != "" {
		std = s.text("± ") + std
	}
	if k == Published {
		return nonEmpty(pad+mean+notes, std)
	}
	interval := ""
	if v.Low.Present() {
		interval = "[" + v.format(v.Low) + ", " + v.format(v.High) + "]"
	}
	value := s.placed(e.Place, strings.Join(nonEmpty(mean, std), " "))
	if e.Level {
		value += s.text(LevelSign)
	}
	return nonEmpty(pad+value+notes, interval)
}

func (s style) placed(p Place, text string) string {
	switch p {
	case Best:
		return s.best(text)
	case Second:
		return s.second(text)
	}
	return text
}

// LevelSign stands at values that are level with the best, as far as one can
// tell.
const LevelSign = "≈"

// nonEmpty leaves empty texts out.
func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(t string) bool { return t == "" })
}

// superscript is footnote numbers as small digits.
func superscript(numbers []int) string {
	var out strings.Builder
	for i, n := range numbers {
		if i > 0 {
			out.WriteString(",")
		}
		for _, digit := range fmt.Sprint(n) {
			out.WriteRune([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[digit-'0'])
		}
	}
	return out.String()
}
