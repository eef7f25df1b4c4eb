package results

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Table says what is in a printed table. How it looks is up to WriteText,
// WriteMarkdown, WriteLaTeX, WriteHTML and WriteTableCSV.
type Table struct {
	Name    string // letters, digits and dashes; no other table of a report has it
	Title   string
	Columns []Column
	Heads   int          // so many columns name the rows; 0 stands for 1
	Blocks  [][]TableRow // rows that belong together
	Legend  []string     // how to read the entries
	Notes   []string     // footnotes; number n is Notes[n-1]
	Command string       // that made the table
	Source  string       // the specs and the code that its records are of
}

// Kind says what a column holds.
type Kind int

// Text columns hold words; Measured ones our means over seeds, with
// deviation and interval; Published ones a paper's means and deviations;
// Ranks average ranks.
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
	Head   string // with the unit
	Notes  []int
}

// name is the head for layouts in which a column stands alone.
func (c Column) name() string {
	head := c.Head
	if c.Kind == Published {
		head = strings.Replace(head, paperHead, paperHead+" "+c.Metric, 1)
	}
	return strings.Join(nonEmpty(c.Group, head), " ")
}

// origin says where a table comes from, in lines for its foot.
type origin struct{ What, Text string }

func (t Table) origin() []origin {
	return slices.DeleteFunc([]origin{{"Made by", t.Command}, {"Made of", t.Source}}, func(o origin) bool { return o.Text == "" })
}

// TableRow has one entry a column.
type TableRow []Entry

// Entry is a text or a value. Without either it stands for something that is
// not there.
type Entry struct {
	Text  string
	Value *Value
	Place Place
	// Level values cannot be told apart from the best of their column.
	Level bool
	Notes []int
}

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
	Mean     Number
	Std      Number // absent where it is not to be shown
	Low      Number // interval; absent together with High
	High     Number
	Decimals int  // -1 for as many as the number has
	Signed   bool // a difference: positive numbers have a +
	// Approximate values are printed with a sign that says so.
	Approximate bool
}

// percent is a Value in per cent of fractions.
func percent(r Row) *Value {
	return &Value{Mean: 100 * r.Mean, Std: 100 * r.Std, Low: 100 * r.CILow, High: 100 * r.CIHigh, Decimals: 2}
}

// printed is the mean as readers see it. Comparing what is printed makes
// values that look the same tie.
func (v *Value) printed() float64 {
	if v.Decimals < 0 {
		return float64(v.Mean)
	}
	scale := math.Pow10(v.Decimals)
	return math.Round(float64(v.Mean)*scale) / scale
}

func (v *Value) format(n Number) string {
	if !n.Present() {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'f', v.Decimals, 64)
}

// signed is format with the sign of a difference.
func (v *Value) signed(n Number) string {
	text := v.format(n)
	if v.Signed && n > 0 {
		text = "+" + text
	}
	return text
}
