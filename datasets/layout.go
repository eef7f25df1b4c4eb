package datasets

import (
	"fmt"
	"slices"
	"strconv"

	"dgsbench/internal/suggest"
)

// Layout says which columns of a CSV file hold what. The file starts with a
// header line; the columns may stand in any order, and others are skipped.
// Columns go by name, or by number (from 1) where no column has that name.
//
// Nodes are numbered in the order in which they first appear, source before
// destination. Their names may be any text.
type Layout struct {
	Src, Dst string // columns of the two nodes
	// Time holds numbers, or dates and times in the forms of ISO 8601 (see
	// clock). It must never decrease.
	Time string
	// Unit is what the numbers of Time count.
	Unit Unit
	// Label holds 0 or 1, and -1 or nothing where the class is not known.
	// Without a name, all events are unlabelled.
	Label    string
	Features []string // columns of numbers, in the order of Stream.Feat
	// Rest takes all columns as features that are nothing else, in place of
	// Features.
	Rest bool
	// Bipartite keeps sources and destinations apart: destinations are
	// numbered after all sources, even where their names are the same.
	Bipartite bool

	Separator Separator
	// NoHeader: the first line is an event, and columns go by number.
	NoHeader bool
	// Sort puts events in order of time, those of equal time in file order.
	// Without it, an event that is earlier than the one before it is damage.
	Sort bool

	jodie bool
}

// JODIE is the layout of the files published with JODIE (Kumar et al., KDD
// 2019): user, item, timestamp, label and any number of features, for which
// the header has one single fifth name. It is bipartite.
var JODIE = Layout{Bipartite: true, jodie: true}

// jodieNames is how many names the header of a JODIE file has; the last one
// stands for all features.
const jodieNames = 5

// role says what a column is: the number of a feature, or one of these.
type role int

const (
	roleSkip role = -1 - iota
	roleSrc
	roleDst
	roleTime
	roleLabel
)

// String is what a user knows the role as.
func (r role) String() string {
	if r >= 0 {
		return "a feature"
	}
	return [...]string{"nothing", "the source", "the destination", "the time", "the label"}[-1-r]
}

// schema is a layout matched with one file.
type schema struct {
	names     []string // one a column
	places    map[string]place
	roles     []role   // one a column
	asked     []string // one a column: what the layout calls it
	numFeat   int
	bipartite bool
	// mayLackLabel: -1 and nothing are labels too.
	mayLackLabel bool
	// mayBeUnsorted: events are put in order once all are read.
	mayBeUnsorted bool
	sep           byte
	unit          Unit
	clock         clock
}

// place is the first column of a name.
type place struct {
	column int
	again  bool // other columns have the name too
}

// match finds the layout's columns. header is the first line; fields is the
// number of fields of the second.
func (l Layout) match(header []string, fields int) (*schema, *Damage) {
	if l.jodie {
		return matchJODIE(header, fields)
	}
	n := len(header)
	s := &schema{names: header, places: map[string]place{}, roles: make([]role, n), asked: make([]string, n), numFeat: len(l.Features)}
	s.bipartite, s.mayLackLabel, s.mayBeUnsorted, s.unit = l.Bipartite, true, l.Sort, l.Unit
	for c, name := range header {
		s.roles[c] = roleSkip
		if first, again := s.places[name]; again {
			s.places[name] = place{first.column, true}
		} else {
			s.places[name] = place{column: c}
		}
	}
	wanted := map[role]string{roleSrc: l.Src, roleDst: l.Dst, roleTime: l.Time}
	if l.Label != "" {
		wanted[roleLabel] = l.Label
	}
	for i, name := range l.Features {
		wanted[role(i)] = name
	}
	for r := roleLabel; int(r) < len(l.Features); r++ {
		name, ok := wanted[r]
		if !ok {
			continue
		}
		if d := s.assign(name, r); d != nil {
			if s.find(name) < 0 && !l.NoHeader && s.likeAnEvent(wanted) {
				d.Option = OptionNoHeader
			}
			return nil, d
		}
	}
	if l.Rest {
		s.assignRest()
	}
	return s, nil
}

// likeAnEvent reports whether a header line has none of the names, but a time.
func (s *schema) likeAnEvent(wanted map[role]string) bool {
	for _, name := range wanted {
		if _, found := s.places[name]; found {
			return false
		}
	}
	return slices.ContainsFunc(s.names, func(name string) bool { return newClock(name).isTime() })
}

// assignRest makes a feature of every column that has no role yet.
func (s *schema) assignRest() {
	for c, r := range s.roles {
		if r == roleSkip {
			s.roles[c] = role(s.numFeat)
			s.numFeat++
		}
	}
}

// features are the names of the feature columns, in their order.
func (s *schema) features() []string {
	out := make([]string, s.numFeat)
	for c, r := range s.roles {
		if r >= 0 {
			out[r] = s.names[c]
		}
	}
	return out
}

// column is where the role's column stands, or -1.
func (s *schema) column(r role) int { return slices.Index(s.roles, r) }

// find is the column of that name, or else of that number, or -1.
func (s *schema) find(name string) int {
	if at, found := s.places[name]; found {
		return at.column
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(s.names) && strconv.Itoa(n) == name {
		return n - 1
	}
	return -1
}

// assign gives the column of that name its role.
func (s *schema) assign(name string, r role) *Damage {
	c := s.find(name)
	if c < 0 {
		return &Damage{
			Line: 1, Found: "the columns " + listed(s.names),
			Want: fmt.Sprintf("a column named %q%s", name, suggest.DidYouMean(name, s.names)),
		}
	}
	if s.places[name].again {
		return &Damage{Line: 1, Column: c + 1, Name: name, Found: "this name more than once", Want: "one such column"}
	}
	if s.roles[c] != roleSkip {
		return &Damage{
			Line: 1, Column: c + 1, Name: s.names[c], Want: "one use a column (a number stands for the column at that place)",
			Found: fmt.Sprintf("two uses, %q for %s and %q for %s", s.asked[c], s.roles[c], name, r),
		}
	}
	s.roles[c], s.asked[c] = r, name
	return nil
}

// matchJODIE takes the columns by position.
func matchJODIE(header []string, fields int) (*schema, *Damage) {
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
	s := &schema{bipartite: true, numFeat: k}
	s.names = append(s.names, header[:jodieNames-1]...)
	s.roles = append(s.roles, roleSrc, roleDst, roleTime, roleLabel)
	for i := range k {
		s.names = append(s.names, fmt.Sprintf("feature %d", i+1))
		s.roles = append(s.roles, role(i))
	}
	return s, nil
}
