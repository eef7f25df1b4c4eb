package results

import (
	"fmt"
	"math"
	"strings"
)

// Table says what is in a printed table. How it looks is up to WriteText,
// WriteMarkdown and WriteCSV.
type Table struct {
	Title   string
	Columns []Column
	Blocks  [][]TableRow // rows that belong together
	Legend  []string     // how to read the entries
	Notes   []string     // footnotes; number n is Notes[n-1]
	Command string       // that made the table
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

// TableRow has one entry a column.
type TableRow []Entry

// Entry is a text or a value. Without either it stands for something that is
// not there.
type Entry struct {
	Text  string
	Value *Value
	Place Place
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
	Decimals int
}

// percent is a Value in per cent of fractions.
func percent(r Row) *Value {
	return &Value{Mean: 100 * r.Mean, Std: 100 * r.Std, Low: 100 * r.CILow, High: 100 * r.CIHigh, Decimals: 2}
}

// printed is the mean as readers see it. Comparing what is printed makes
// values that look the same tie.
func (v *Value) printed() float64 {
	scale := math.Pow10(v.Decimals)
	return math.Round(float64(v.Mean)*scale) / scale
}

func (v *Value) format(n Number) string {
	if !n.Present() {
		return ""
	}
	return fmt.Sprintf("%.*f", v.Decimals, float64(n))
}
