package table

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/optional"
)

// Table says what is in a printed table. How it looks is up to WriteText,
// WriteMarkdown, WriteLaTeX, WriteHTML and WriteCSV.
type Table struct {
	Name    string // letters, digits and dashes; no other table of a report has it
	Title   string
	Columns []Column
	Heads   int      // so many columns name the rows; 0 stands for 1
	Blocks  [][]Row  // rows that belong together
	Among   string   // of which the best and the second are marked: "the learned models"
	Legend  []string // how to read the entries
	Notes   []string // footnotes; number n is Notes[n-1]
	Command string   // that made the table
	Source  string   // the specs and the code that its records are of
}

// Kind says what a column holds.
type Kind int

// Text columns hold words; Measured ones our means, with deviation and
// interval; Published ones means and deviations of others; Ranks average
// ranks.
const (
	Text Kind = iota
	Measured
	Published
	Ranks
)

// Column is one column of a table.
type Column struct {
	Kind   Kind
	Group  string // what neighbouring columns have in common: a dataset, or empty
	Metric string // its title; Measured and Published columns only
	Head   string // with the unit; of a Published column, a word for who published it and the unit
	Notes  []int
}

// name is the head for layouts in which a column stands alone.
func (c Column) name() string {
	if c.Kind != Published || c.Metric == "" {
		return strings.Join(nonEmpty(c.Group, c.Head), " ")
	}
	_, unit, _ := strings.Cut(c.Head, " ")
	return strings.Join(nonEmpty(c.Group, c.publisher(), c.Metric, unit), " ")
}

// publisher is who published the values of a Published column.
func (c Column) publisher() string {
	who, _, _ := strings.Cut(c.Head, " ")
	return who
}

// origin says where a table comes from, in lines for its foot.
type origin struct{ What, Text string }

func (t Table) origin() []origin {
	return slices.DeleteFunc([]origin{{"Made by", t.Command}, {"Made of", t.Source}}, func(o origin) bool { return o.Text == "" })
}

// Row has one entry a column.
type Row []Entry

// Entry is a text or a value. Without either it stands for something that is
// not there.
type Entry struct {
	Text  string
	Value *Value
	Place Place
	// Level values cannot be told apart from the best of their column.
	Level bool
	// Unranked values take no part in rankings; a footnote says why.
	Unranked bool
	Notes    []int
}

// Ranked reports whether the entry has a value that is ranked.
func (e Entry) Ranked() bool { return e.Value != nil && !e.Unranked }

// Place is an entry's place among the ranked ones of its column.
type Place int

// Entries that are neither best nor second, or not ranked, are Unplaced.
const (
	Unplaced Place = iota
	Best
	Second
)

// Value is a number in the unit of its column's head.
type Value struct {
	Mean     optional.Number
	Std      optional.Number // absent where it is not to be shown
	Low      optional.Number // interval; absent together with High
	High     optional.Number
	Decimals int  // -1 for as many as the number has
	Signed   bool // a difference: positive numbers have a +
	// Approximate values are printed with a sign that says so.
	Approximate bool
}

// Printed is the mean as readers see it. Comparing what is printed makes
// values that look the same tie.
func (v *Value) Printed() float64 {
	if v.Decimals < 0 {
		return float64(v.Mean)
	}
	scale := math.Pow10(v.Decimals)
	return math.Round(float64(v.Mean)*scale) / scale
}

func (v *Value) format(n optional.Number) string {
	if !n.Present() {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'f', v.Decimals, 64)
}

// signed is format with the sign of a difference.
func (v *Value) signed(n optional.Number) string {
	text := v.format(n)
	if v.Signed && n > 0 {
		text = "+" + text
	}
	return text
}
