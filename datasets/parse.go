package datasets

import "bytes"

// parser reads blocks straight into their rows of the final columns. Each
// worker has its own; they share nothing but the columns, in which no two
// blocks have a row in common.
type parser struct {
	*schema
	file   *source
	out    *Stream   // nodes are still numbered within their block
	buf    []byte    // holds any block
	ends   [2][]byte // the nodes of the present line, by Side
	tables           // of the present block
}

// tables number the nodes of a block, or of the whole file.
type tables struct {
	nodes *names // sources only in a bipartite graph
	items *names // destinations; the same table where any node may be either
}

func newTables(bipartite bool) tables {
	t := tables{nodes: newNames()}
	t.items = t.nodes
	if bipartite {
		t.items = newNames()
	}
	return t
}

func (t tables) reset() {
	t.nodes.reset()
	t.items.reset()
}

// parsed is what the merge needs of a block.
type parsed struct {
	block
	index int
	tables
	good int // events before the first error
	err  error
}

func newParser(file *source, s *schema, out *Stream, bufSize int) *parser {
	return &parser{schema: s, file: file, out: out, buf: make([]byte, bufSize)}
}

// parse reads one block.
func (p *parser) parse(index int, b block, t tables) parsed {
	t.reset()
	p.tables = t
	res := parsed{block: b, index: index, tables: t}
	res.good, res.err = p.rows(b)
	return res
}

// rows parses line by line, and says how many are good. It stops at the
// first damage, or where the columns end: they are shorter than the file
// only if an earlier line is damaged (see newColumns).
func (p *parser) rows(b block) (good int, err error) {
	text := p.buf[:b.end-b.off]
	if err := p.file.fill(text, b.off); err != nil {
		return 0, err
	}
	for r := b.row; r < min(b.row+b.rows, p.out.Len()); r++ {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		d := p.line(line, r)
		if d == nil && r > b.row && !p.mayBeUnsorted {
			d = p.order(r)
		}
		if d != nil {
			d.File, d.Line = p.file.name, p.file.lineOf(r)
			return r - b.row, d
		}
		good++
	}
	if len(text) > 0 && good == b.rows {
		return good, errChanged
	}
	return good, nil
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
			feat[role], ok = parseFloat32(field)
		} else {
			ok = p.key(role, field, r)
		}
		if !ok {
			return p.explain(line, c, field)
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

// key stores a field that is not a feature.
func (p *parser) key(role role, field []byte, r int) (ok bool) {
	ok = true // for the columns that are skipped
	switch role {
	case roleSrc:
		p.ends[Source], ok = field, len(field) > 0
	case roleDst:
		p.ends[Destination], ok = field, len(field) > 0
	case roleTime:
		p.out.Time[r], ok = p.clock.parse(field)
	case roleLabel:
		p.out.Label[r], ok = parseLabel(field, p.mayLackLabel)
	}
	return ok
}

// expected says what a column holds.
func (p *parser) expected(role role) string {
	switch {
	case role == roleSrc || role == roleDst:
		return "a node"
	case role == roleTime:
		return p.clock.expected()
	case role == roleLabel && p.mayLackLabel:
		return "a label: 0, 1, or -1 where it is not known"
	case role == roleLabel:
		return "a label: 0 or 1"
	}
	return "a finite number within the range of float32"
}

// explain reports a bad field, or the number of fields where that is wrong
// too: it is then the likelier cause.
func (p *parser) explain(line []byte, c int, field []byte) *Damage {
	if n, err := countFields(line, p.sep); err == nil && n != len(p.roles) {
		return p.wrongCount(line)
	}
	return p.bad(c, field, p.expected(p.roles[c]))
}

func (p *schema) bad(c int, field []byte, want string) *Damage {
	return &Damage{Column: c + 1, Name: p.names[c], Found: quoted(field), Want: want}
}

// wrongCount reports too few or too many fields.
func (p *parser) wrongCount(line []byte) *Damage {
	want := plural(len(p.roles), "field")
	if len(bytes.TrimSpace(line)) == 0 {
		return &Damage{Found: "an empty line", Want: want}
	}
	n, _ := countFields(line, p.sep)
	return &Damage{Found: plural(n, "field"), Want: want}
}

// order reports an event that is earlier than the one before it.
func (p *parser) order(r int) *Damage {
	before, now := p.out.Time[r-1], p.out.Time[r]
	if now >= before {
		return nil
	}
	d := p.bad(p.column(roleTime), nil, "a time not before the last line's "+p.clock.text(before))
	d.Found, d.Option = p.clock.text(now), OptionSort
	return d
}
