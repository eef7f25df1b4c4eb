package datasets

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// parser parses one block after another, straight into their rows of the final
// columns. Parsers share nothing but the columns, in which no two blocks have a
// row in common.
type parser struct {
	*schema
	ends [2][]byte // the nodes of the present line, by Side

	block // the present one
	nodeNames
	levels []*names // of the categories
	good   int      // events before the first error
	err    error    // the first one
}

// nodeNames numbers the nodes of a block, or of the whole file.
type nodeNames struct {
	nodes *names // only sources in a bipartite graph
	items *names // destinations; equal to nodes if any node may be either
}

func newNodeNames(bipartite bool) nodeNames {
	n := nodeNames{nodes: newNames()}
	n.items = n.nodes
	if bipartite {
		n.items = newNames()
	}
	return n
}

// parse parses a block, which it reads into buf.
func (p *parser) parse(b block, buf []byte) {
	p.nodes.reset()
	p.items.reset()
	for _, l := range p.levels {
		l.reset()
	}
	p.block, p.good = b, 0
	p.err = p.lines(buf[:b.end-b.off])
}

// lines parses line by line. It stops at the first damage, or at the end of the
// columns: they are shorter than the file only if an earlier line is damaged
// (see newColumns).
func (p *parser) lines(text []byte) error {
	if err := p.file.fill(text, p.off); err != nil {
		return err
	}
	for r := p.row; r < min(p.row+p.rows, p.out.Len()); r++ {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		d := p.line(line, r)
		if d == nil && r > p.row {
			d = p.order(r)
		}
		if d != nil {
			d.Line = p.file.lineOf(r)
			return d
		}
		p.good++
	}
	if len(text) > 0 && p.good == p.rows {
		return errChanged
	}
	return nil
}

// line parses the fields of event r.
func (p *parser) line(line []byte, r int) *Damage {
	feat := p.out.Feat[r*p.numFeat : (r+1)*p.numFeat]
	rest, more := line, true
	for c, role := range p.roles {
		if !more {
			return p.wrongCount(line)
		}
		var field []byte
		var err error
		if field, rest, more, err = cutField(rest, p.sep); err != nil {
			return p.bad(c, field, err.Error())
		}
		var ok bool
		if role >= 0 {
			if feat[role], ok = parseFloat32(field); !ok || p.category(role) >= 0 {
				feat[role], ok = p.feature(role, field)
			}
		} else {
			ok = p.field(role, field, r)
		}
		if !ok {
			// A wrong number of fields is the likelier cause.
			if n, err := countFields(line, p.sep); err == nil && n != len(p.roles) {
				return p.wrongCount(line)
			}
			d := p.bad(c, field, p.expected(role))
			if role >= 0 && p.category(role) < 0 {
				switch {
				case isMissing(field):
					d.Option = OptionMissing
				case 'a' <= field[0]|' ' && field[0]|' ' <= 'z':
					d.Option = OptionCategory
				}
			}
			return d
		}
	}
	if more {
		return p.wrongCount(line)
	}
	// Source first, whatever the order of the columns.
	p.out.Src[r] = p.nodes.intern(p.ends[Source])
	p.out.Dst[r] = p.items.intern(p.ends[Destination])
	return nil
}

// feature parses a field that is a category, or no number.
func (p *parser) feature(role role, field []byte) (x float32, ok bool) {
	if i := p.category(role); i >= 0 {
		return float32(p.levels[i].intern(field)), utf8.Valid(field) // it becomes a part of a column's name
	}
	mayLack := !p.layout.jodie && (p.layout.AnyMissing || p.missing[role] >= 0)
	return float32(math.NaN()), mayLack && isMissing(field)
}

// missingMarks are the texts that stand for a missing number.
var missingMarks = []string{"", "na", "n/a", "nan", "null", "none", `\n`}

func isMissing(field []byte) bool {
	const longest = 4
	return len(field) <= longest && slices.Contains(missingMarks, strings.ToLower(string(field)))
}

// field parses a field of event r that is not a feature.
func (p *parser) field(role role, field []byte, r int) (ok bool) {
	switch role {
	case roleSrc:
		p.ends[Source], ok = field, len(field) > 0
	case roleDst:
		p.ends[Destination], ok = field, len(field) > 0
	case roleTime:
		p.out.Time[r], ok = p.clock.parse(field)
	case roleLabel:
		p.out.Label[r], ok = parseLabel(field, !p.layout.jodie)
	case roleSkip:
		ok = true
	}
	return ok
}

// expected says what a column with that role holds.
func (p *parser) expected(role role) string {
	switch {
	case role >= 0 && p.category(role) >= 0:
		return wantUTF8
	case role == roleSrc || role == roleDst:
		return "a node"
	case role == roleTime:
		return p.clock.expected()
	case role == roleLabel && p.layout.jodie:
		return "a label: 0 or 1"
	case role == roleLabel:
		return "a label: 0, 1, or -1 where it is not known"
	}
	return "a finite number within the range of float32"
}

// wrongCount returns the damage of a line with too few or too many fields.
func (p *parser) wrongCount(line []byte) *Damage {
	want := plural(len(p.roles), "field")
	if len(bytes.TrimSpace(line)) == 0 {
		return &Damage{Found: "an empty line", Want: want}
	}
	n, _ := countFields(line, p.sep)
	return &Damage{Found: plural(n, "field"), Want: want}
}

// order returns the damage of an event that is earlier than the one before
// it, unless events are sorted later.
func (s *schema) order(r int) *Damage {
	before, now := s.out.Time[r-1], s.out.Time[r]
	if now >= before || s.layout.Sort {
		return nil
	}
	d := s.bad(s.column(roleTime), nil, "a time not before the last line's "+s.clock.text(before))
	d.Found, d.Option = s.clock.text(now), OptionSort
	return d
}
