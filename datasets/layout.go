package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"dgsbench/internal/suggest"
)

// Layout says what the columns of a CSV file hold. The file starts with a
// header line; the columns may be in any order, and others are skipped.
// Columns are named, or numbered (from 1) if no column has that name.
//
// Nodes are numbered in the order in which they first appear, source before
// destination. Their names may be any text.
type Layout struct {
	Src, Dst string // columns of the two nodes
	// Time holds numbers, or dates and times in the forms of ISO 8601 (see
	// clock). It must never decrease.
	Time string
	// Unit is the unit of the numbers in Time.
	Unit Unit
	// Label holds 0 or 1, and -1 or nothing if the class is unknown. Without a
	// name, all events are unlabelled.
	Label    string
	Features []string // columns of numbers, in the order of Stream.Feat
	// Rest makes features of all columns without another use, in place of
	// Features.
	Rest bool
	// Categories are columns of any text, features beside Features. The stream
	// has the number of the text in Columns.Levels.
	Categories []string
	// Missing are features that may lack a value, which the stream has as NaN.
	// With AnyMissing every feature may.
	Missing    []string
	AnyMissing bool
	// Bipartite separates sources from destinations: destinations are numbered
	// after all sources, even if their names are the same.
	Bipartite bool

	Separator Separator
	// NoHeader: the first line is an event, and columns are numbered.
	NoHeader bool
	// Sort sorts the events by time, those of equal time in file order.
	// Without it, an event that is earlier than the one before it is damage.
	Sort bool

	jodie bool
}

// JODIE is the layout of the files published with JODIE (Kumar et al., KDD
// 2019): user, item, timestamp, label and any number of features, for which
// the header has one single fifth name. It is bipartite.
var JODIE = Layout{Bipartite: true, jodie: true}

// jodieNames is the number of names in the header of a JODIE file; the last
// one stands for all features.
const jodieNames = 5

// role is the use of a column: the number of a feature, or one of these.
type role int

const (
	roleSkip role = -1 - iota
	roleSrc
	roleDst
	roleTime
	roleLabel
)

// String returns the role's name in messages.
func (r role) String() string {
	if r >= 0 {
		return "a feature"
	}
	return [...]string{"nothing", "the source", "the destination", "the time", "the label"}[-1-r]
}

// schema is a layout applied to the columns of one file, and the stream that is
// read from it.
type schema struct {
	file    *source
	out     Stream // with nodes numbered within their block until that is merged
	layout  Layout
	names   []string         // of the columns
	columns map[string][]int // with a name
	roles   []role           // of the columns
	asked   []string         // the layout's names for the columns
	numFeat int
	missing []int // by feature: its index in Layout.Missing, or -1
	sep     byte
	clock   clock
}

// category returns the index of a feature in Layout.Categories, or -1. These are
// the first features after those of Layout.Features.
func (s *schema) category(r role) int {
	if i := int(r) - len(s.layout.Features); i >= 0 && i < len(s.layout.Categories) {
		return i
	}
	return -1
}

// match finds the layout's columns. header has the fields of the first line;
// fields is the number of fields of the second.
func (l Layout) match(header []string, fields int) (*schema, error) {
	if l.jodie {
		return l.matchJODIE(header, fields)
	}
	n := len(header)
	s := &schema{
		layout: l, names: header, columns: map[string][]int{},
		roles: slices.Repeat([]role{roleSkip}, n), asked: make([]string, n), numFeat: len(l.Features) + len(l.Categories),
	}
	for c, name := range header {
		s.columns[name] = append(s.columns[name], c)
	}
	type use struct {
		name string
		role role
	}
	uses := []use{{l.Label, roleLabel}, {l.Time, roleTime}, {l.Dst, roleDst}, {l.Src, roleSrc}}
	if l.Label == "" {
		uses = uses[1:]
	}
	for i, name := range slices.Concat(l.Features, l.Categories) {
		uses = append(uses, use{name, role(i)})
	}
	for _, u := range uses {
		if d := s.assign(u.name, u.role); d != nil {
			named := func(u use) bool { return len(s.columns[u.name]) > 0 }
			isTime := func(name string) bool { return newClock(name).isTime() }
			if s.find(u.name) < 0 && !l.NoHeader && !slices.ContainsFunc(uses, named) && slices.ContainsFunc(header, isTime) {
				d.Option = OptionNoHeader // the header is like an event
			}
			return nil, d
		}
	}
	if l.Rest {
		for c, r := range s.roles {
			if r == roleSkip {
				s.roles[c] = role(s.numFeat)
				s.numFeat++
			}
		}
	}
	s.missing = slices.Repeat([]int{-1}, s.numFeat)
	for i, name := range l.Missing {
		if d := s.mayLack(i, name); d != nil {
			return nil, d
		}
	}
	return s, nil
}

// mayLack notes that the column with that name, number i of Layout.Missing, may
// lack values.
func (s *schema) mayLack(i int, name string) *Damage {
	c := s.find(name)
	if c < 0 {
		return s.noColumn(name)
	}
	r, d := s.roles[c], &Damage{Line: 1, Column: c + 1, Name: s.names[c], Want: "a column of numbers among the features, to fill in missing values"}
	switch {
	case r < 0:
		d.Found = "a column that is " + r.String()
	case s.category(r) >= 0:
		d.Found = "a category, in which nothing is a value like any other"
	case s.missing[r] >= 0:
		d.Found, d.Want = "two values for what is missing", "one"
	default:
		s.missing[r] = i
		return nil
	}
	return d
}

// matchJODIE finds the columns by position.
func (l Layout) matchJODIE(header []string, fields int) (*schema, error) {
	if len(header) != jodieNames {
		return nil, &Damage{
			Line: 1, Found: plural(len(header), "name"),
			Want: "the 5 names of the JODIE layout: user, item, timestamp, label, and one for all features",
		}
	}
	k := fields - (jodieNames - 1)
	if k < 0 {
		return nil, &Damage{Line: 2, Found: plural(fields, "field"), Want: "user, item, timestamp, label and the features"}
	}
	s := &schema{layout: l, numFeat: k, names: slices.Clip(header[:jodieNames-1]), roles: []role{roleSrc, roleDst, roleTime, roleLabel}}
	for i := range k {
		s.names = append(s.names, fmt.Sprintf("feature %d", i+1))
		s.roles = append(s.roles, role(i))
	}
	return s, nil
}

// features returns the names of the feature columns, in their order.
func (s *schema) features() []string {
	out := make([]string, s.numFeat)
	for c, r := range s.roles {
		if r >= 0 {
			out[r] = s.names[c]
		}
	}
	return out
}

// column returns the column with that role, or -1.
func (s *schema) column(r role) int { return slices.Index(s.roles, r) }

// find returns the first column with that name, or else the one with that
// number, or -1.
func (s *schema) find(name string) int {
	if columns := s.columns[name]; len(columns) > 0 {
		return columns[0]
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(s.names) && strconv.Itoa(n) == name {
		return n - 1
	}
	return -1
}

// assign assigns a role to the column with that name.
func (s *schema) assign(name string, r role) *Damage {
	c := s.find(name)
	switch {
	case c < 0:
		return s.noColumn(name)
	case len(s.columns[name]) > 1:
		return &Damage{Line: 1, Column: c + 1, Name: name, Found: "this name more than once", Want: "one such column"}
	case s.roles[c] != roleSkip:
		return &Damage{
			Line: 1, Column: c + 1, Name: s.names[c], Want: "one use per column (a number means the column at that place)",
			Found: fmt.Sprintf("two uses, %q for %s and %q for %s", s.asked[c], s.roles[c], name, r),
		}
	}
	s.roles[c], s.asked[c] = r, name
	return nil
}

// noColumn returns the damage of a file without the column of that name.
func (s *schema) noColumn(name string) *Damage {
	return &Damage{
		Line: 1, Found: "the columns " + listed(s.names),
		Want: fmt.Sprintf("a column named %q%s", name, suggest.DidYouMean(name, s.names)),
	}
}

// bad returns the damage of a field of column c.
func (s *schema) bad(c int, field []byte, want string) *Damage {
	return &Damage{Column: c + 1, Name: s.names[c], Found: quoted(field), Want: want}
}

// checkFirstTime finds what is wrong with the time in the first event, or with
// the name of its column c.
func (s *schema) checkFirstTime(c int, first string) *Damage {
	if name := s.names[c]; s.layout.Time != name && newClock(name).isTime() {
		return &Damage{
			Line: 1, Column: c + 1, Name: strconv.Itoa(c + 1), Found: "a time, " + listed([]string{name}), Option: OptionNoHeader,
			Want: "a header line (name the column if it really has this name)",
		}
	}
	if unit := s.layout.Unit; s.clock.form != "" && unit != FindUnit && unit != Seconds {
		return s.bad(c, []byte(first), "a number of "+unit.String()+" (dates have no unit)")
	}
	x, _ := parseFloat64([]byte(first))
	return s.tooLarge(x, latestStart, listed([]string{first}))
}

// tooLarge returns the damage of a number that is too large for seconds: the
// time of an event, or its distance from the first one.
func (s *schema) tooLarge(x, limit float64, found string) *Damage {
	if s.layout.Unit != FindUnit || s.clock.form != "" || math.Abs(x) <= limit {
		return nil
	}
	d := s.bad(s.column(roleTime), nil, fmt.Sprintf("seconds or steps (such a large number seems to be %s)", likelyUnit(x)))
	d.Found, d.Option = found, OptionUnit
	return d
}
