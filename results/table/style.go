package table

import (
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/escape"
	"dgsbench/internal/lists"
)

// style is how a layout writes the parts of an entry.
type style struct {
	text         func(string) string // escapes a text
	best, second func(string) string
	marks        string             // explains best and second
	numbers      func([]int) string // of footnotes
	aligned      bool               // pads means to align their decimal points
}

// plainStyle marks the best with signs.
var plainStyle = style{
	text: escape.Text, best: around("", "*"), second: around("", "+"), marks: "*: best, +: second", numbers: superscript, aligned: true,
}

// terminalStyle marks the best with ANSI escape sequences.
var terminalStyle = style{
	text: escape.Text, best: around("\x1b[1m", "\x1b[0m"), second: around("\x1b[4m", "\x1b[0m"),
	marks: "\x1b[1mbest\x1b[0m and \x1b[4msecond\x1b[0m", numbers: superscript, aligned: true,
}

func around(before, after string) func(string) string {
	return func(s string) string { return before + s + after }
}

// lines returns the parts of an entry that may be lines of their own: mean and
// interval, or a published mean and its deviation.
func (s style) lines(k Kind, e Entry) []string {
	notes := s.numbers(e.Notes)
	switch {
	case e.Value == nil && k == Text:
		return []string{s.text(e.Text) + notes}
	case e.Value == nil:
		return []string{s.text(NoValue) + notes}
	}
	v := e.Value
	mean, std, pad := v.format(v.Mean), v.format(v.Std), ""
	if v.Signed && v.Mean > 0 {
		mean = "+" + mean
	}
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
		return lists.NonEmpty(pad+mean+notes, std)
	}
	value := joinWords(mean, std)
	switch e.Mark {
	case Best:
		value = s.best(value)
	case Second:
		value = s.second(value)
	}
	if e.Level {
		value += s.text(LevelSign)
	}
	interval := ""
	if v.Low.Present() {
		interval = "[" + v.format(v.Low) + ", " + v.format(v.High) + "]"
	}
	return lists.NonEmpty(pad+value+notes, interval)
}

// rows returns the entries of all rows, each on one line.
func (s style) rows(t Table) [][]string {
	var out [][]string
	for _, row := range t.rows() {
		texts := make([]string, len(row))
		for c, e := range row {
			texts[c] = strings.Join(s.lines(t.Columns[c].Kind, e), " ")
		}
		out = append(out, texts)
	}
	return out
}

// legend explains the style's marks, where the table has some, and then the
// entries.
func (s style) legend(t Table) []string {
	var out []string
	if slices.ContainsFunc(slices.Concat(t.rows()...), func(e Entry) bool { return e.Mark != Unmarked }) {
		out = append(out, s.marks+" of "+s.text(t.Among))
	}
	return append(out, lists.Map(t.Legend, s.text)...)
}

// joinLegend returns a legend as one text.
func joinLegend(lines []string) string { return strings.Join(lines, "; ") }

// origin is where a table comes from: a line of its foot.
type origin struct{ What, Text string }

func (t Table) origin() (out []origin) {
	for _, o := range []origin{{"Made by", t.Command}, {"Made of", t.Source}} {
		if o.Text != "" {
			out = append(out, o)
		}
	}
	return out
}

// superscript returns footnote numbers as small digits.
func superscript(numbers []int) string {
	return strings.Map(func(r rune) rune {
		if r == ',' {
			return r
		}
		return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0']
	}, strings.Join(lists.Map(numbers, strconv.Itoa), ","))
}

// raised writes footnote numbers between two tags, as 1,2, or nothing.
func raised(before, after string, write func(int) string) func([]int) string {
	return func(numbers []int) string {
		if len(numbers) == 0 {
			return ""
		}
		return before + strings.Join(lists.Map(numbers, write), ",") + after
	}
}

// columnGroup is the title above neighbouring columns; it may be empty.
type columnGroup struct {
	Title   string
	Columns int
}

// groups returns the titles above the heads; nil where there are none.
func (t Table) groups() []columnGroup {
	var out []columnGroup
	for c, column := range t.Columns {
		if c > 0 && t.Columns[c-1].Group == column.Group {
			out[len(out)-1].Columns++
			continue
		}
		out = append(out, columnGroup{column.Group, 1})
	}
	if !slices.ContainsFunc(out, func(g columnGroup) bool { return g.Title != "" }) {
		return nil
	}
	return out
}

// split cuts the table into parts that fit, between groups of columns where that
// is possible, or that have a single column with what was published of it.
// Every part repeats the columns that name the rows.
func (t Table) split(fits func(Table) bool) []Table {
	if fits(t) {
		return []Table{t}
	}
	heads := t.numHeads()
	var columns []int // of the present part
	for c := range heads {
		columns = append(columns, c)
	}
	var parts []Table
	for c := heads; c < len(t.Columns); {
		next := t.nextUnit(c, func(c int) bool { return t.Columns[c-1].Group == t.Columns[c].Group })
		if !fits(t.part(append(columns[:heads:heads], span(c, next)...))) {
			next = t.nextUnit(c, func(c int) bool { return t.Columns[c].Kind == Published })
		}
		wider := append(columns[:len(columns):len(columns)], span(c, next)...)
		if len(columns) > heads && !fits(t.part(wider)) {
			parts = append(parts, t.part(columns))
			wider = append(columns[:heads:heads], span(c, next)...)
		}
		columns, c = wider, next
	}
	return append(parts, t.part(columns))
}

// nextUnit returns the first column after c that does not belong to the one
// before it.
func (t Table) nextUnit(c int, belongs func(c int) bool) int {
	for c++; c < len(t.Columns) && belongs(c); c++ {
	}
	return c
}

// span returns the numbers from lo to hi-1.
func span(lo, hi int) (out []int) {
	for c := lo; c < hi; c++ {
		out = append(out, c)
	}
	return out
}

// part returns the table with some of its columns.
func (t Table) part(columns []int) Table {
	out := t
	out.Columns, out.Blocks = pick(t.Columns, columns), nil
	for _, block := range t.Blocks {
		out.NextBlock()
		for _, row := range block {
			out.AddRow(pick(row, columns))
		}
	}
	return out
}

func pick[T any](list []T, columns []int) []T {
	return lists.Map(columns, func(c int) T { return list[c] })
}
