// Package table lays tables out as text, lists, Markdown, LaTeX, HTML and CSV.
//
// A Table has the meaning of its entries, not their look. Texts, numbers and
// footnotes come from the caller; nothing here knows of records, models or
// datasets. MarkBest marks the best entries of a column, and SideBySide puts
// the tables of several folders into one.
package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/internal/optional"
)

// Table has columns, rows and notes. The Write functions lay it out.
type Table struct {
	Name    string // letters, digits and dashes; no other table of a report has it
	Title   string
	Columns []Column
	Heads   int      // number of columns that name the rows; 0 means 1
	Blocks  [][]Row  // rows that belong together
	Among   string   // of which the best and the second are marked: "the learned models"
	Legend  []string // how to read the entries
	Notes   []string // footnotes; number n is Notes[n-1]
	// KeyNotes are those of the footnotes that stay where most are left out, the most
	// important first.
	KeyNotes []string
	Command  string // that made the table
	Source   string // the specs and the code that its records are of
}

// Kind is what a column holds.
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
	Right  bool // aligned to the right, in lists and Markdown grids
}

// Row has one entry a column.
type Row []Entry

// Entry is a text or a value, or neither where something is absent.
type Entry struct {
	Text     string
	Value    *Value
	Mark     Mark
	Level    bool // it cannot be told apart from the best of its column
	Unranked bool // it takes no part in rankings; a footnote says why
	Notes    []int
}

// Mark distinguishes the best ranked entries of a column.
type Mark int

// Entries that are neither best nor second, or not ranked, are Unmarked.
const (
	Unmarked Mark = iota
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

	Approximate bool // printed with the sign ≈
}

const (
	NoValue   = "–" // is printed for what is absent
	LevelSign = "≈" // marks values that cannot be told apart from the best
)

// New returns a table of text columns without rows.
func New(heads ...string) Table {
	return Table{Columns: lists.Map(heads, func(head string) Column { return Column{Head: head} })}
}

// Add appends a row to the last block. An entry is an Entry, a *Value, or
// anything else as fmt.Sprint formats it.
func (t *Table) Add(entries ...any) { t.AddRow(NewRow(entries...)) }

// AddRow appends a row to the last block.
func (t *Table) AddRow(row Row) {
	if len(t.Blocks) == 0 {
		t.NextBlock()
	}
	last := len(t.Blocks) - 1
	t.Blocks[last] = append(t.Blocks[last], row)
}

// NextBlock begins a block: the rows that are added from now on.
func (t *Table) NextBlock() { t.Blocks = append(t.Blocks, nil) }

// NewRow returns a row of entries, which are those of Add.
func NewRow[T any](entries ...T) Row {
	row := make(Row, len(entries))
	for i, e := range entries {
		switch e := any(e).(type) {
		case Entry:
			row[i] = e
		case *Value:
			row[i].Value = e
		default:
			row[i].Text = fmt.Sprint(e)
		}
	}
	return row
}

// Note returns the numbers of footnotes, ascending. A new text becomes a
// footnote; an empty one has no number.
func (t *Table) Note(texts ...string) []int {
	var numbers []int
	for _, text := range texts {
		if text == "" {
			continue
		}
		i := slices.Index(t.Notes, text)
		if i < 0 {
			i = len(t.Notes)
			t.Notes = append(t.Notes, text)
		}
		numbers = append(numbers, i+1)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// KeyNote is like Note, for texts that stay where most footnotes are left out.
func (t *Table) KeyNote(texts ...string) []int {
	t.KeyNotes = append(t.KeyNotes, texts...)
	return t.Note(texts...)
}

// DropUnpublished removes the Published columns without any value.
func (t *Table) DropUnpublished() {
	var kept []int
	for c, column := range t.Columns {
		if column.Kind != Published || slices.ContainsFunc(t.rows(), func(row Row) bool { return row[c].Value != nil || len(row[c].Notes) > 0 }) {
			kept = append(kept, c)
		}
	}
	*t = t.part(kept)
}

// Renumber puts footnotes in the order in which a reader meets them, heads
// first, then row by row, and drops those without a reference.
func (t *Table) Renumber() {
	var references []*[]int
	for c := range t.Columns {
		references = append(references, &t.Columns[c].Notes)
	}
	for _, row := range t.rows() {
		for c := range row {
			references = append(references, &row[c].Notes)
		}
	}
	old := t.Notes
	t.Notes = nil
	for _, numbers := range references {
		texts := lists.Map(*numbers, func(n int) string { return old[n-1] })
		*numbers = t.Note(texts...) // a new slice: entries may share the old one
	}
}

func (t Table) rows() []Row { return slices.Concat(t.Blocks...) }

// numHeads returns the number of columns that name the rows.
func (t Table) numHeads() int { return max(1, t.Heads) }

// name returns the head for layouts without groups of columns.
func (c Column) name() string {
	if c.Kind != Published || c.Metric == "" {
		return joinWords(c.Group, c.Head)
	}
	_, unit, _ := strings.Cut(c.Head, " ")
	return joinWords(c.Group, c.publisher(), c.Metric, unit)
}

// publisher returns who published the values of a Published column.
func (c Column) publisher() string {
	who, _, _ := strings.Cut(c.Head, " ")
	return who
}

func joinWords(words ...string) string { return strings.Join(lists.NonEmpty(words...), " ") }

// Ranked reports whether the entry has a value that is ranked.
func (e Entry) Ranked() bool { return e.Value != nil && !e.Unranked }

// MarkBest marks the best and the second of a column's ranked values; those
// that are printed alike share a mark. A single value stays without one.
func MarkBest(rows []Row, column int, higherIsBetter bool) {
	var ranked []*Entry
	var printed []float64
	for _, row := range rows {
		if e := &row[column]; e.Ranked() {
			ranked, printed = append(ranked, e), append(printed, e.Value.Printed())
		}
	}
	if len(ranked) < 2 {
		return
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(printed)))
	if higherIsBetter {
		slices.Reverse(distinct)
	}
	for i, e := range ranked {
		switch slices.Index(distinct, printed[i]) {
		case 0:
			e.Mark = Best
		case 1:
			e.Mark = Second
		}
	}
}

// NewValue returns a value with neither deviation nor interval.
func NewValue[T ~float64](mean T, decimals int) *Value {
	return &Value{
		Mean: optional.Number(mean), Std: optional.Absent(), Low: optional.Absent(), High: optional.Absent(), Decimals: decimals,
	}
}

// Printed returns the mean as readers see it. Comparing what is printed makes
// values that look the same tie.
func (v *Value) Printed() float64 {
	if v.Decimals < 0 {
		return float64(v.Mean)
	}
	scale := math.Pow10(v.Decimals)
	return math.Round(float64(v.Mean)*scale) / scale
}

// format returns one of the value's numbers, "" for an absent one.
func (v *Value) format(n optional.Number) string {
	if !n.Present() {
		return ""
	}
	return Fixed(float64(n), v.Decimals)
}

// Fixed formats a number with a fixed number of decimals, or all that it has
// where that is negative.
func Fixed(x float64, decimals int) string { return strconv.FormatFloat(x, 'f', decimals, 64) }

// Identifier joins words by dashes; whatever they hold but letters and digits
// becomes a dash.
func Identifier(words ...string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.Join(words, "-"))
}

// Thousands formats a number as 80,145.
func Thousands(n int) string { return separate(strconv.Itoa(n)) }

// Number formats a number with fixed decimals, as 80,145.50, or NoValue where
// it is absent.
func Number(x optional.Number, decimals int) string {
	if !x.Present() {
		return NoValue
	}
	scale := math.Pow10(decimals)
	whole, fraction, point := strings.Cut(Fixed(math.Round(float64(x)*scale)/scale, decimals), ".")
	if point {
		fraction = "." + fraction
	}
	return separate(whole) + fraction
}

// separate puts commas between the thousands of a whole number.
func separate(digits string) string {
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
