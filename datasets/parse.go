package datasets

import "bytes"

// parser reads blocks straight into their rows of the final columns. Every
// worker has its own. They share nothing but the columns, in which no two
// blocks have a row in common.
type parser struct {
	*schema
	file      *source
	out       *Stream   // with nodes numbered within their block
	buf       []byte    // at least as large as any block
	ends      [2][]byte // the nodes of the present line, by Side
	nodeNames           // of the present block
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

// parsedBlock is the result of parsing a block.
type parsedBlock struct {
	block
	index int
	nodeNames
	good int // events before the first error
	err  error
}

// parse parses one block, whose nodes it numbers in n.
func (p *parser) parse(index int, b block, n nodeNames) parsedBlock {
	n.nodes.reset()
	n.items.reset()
	p.nodeNames = n
	good, err := p.rows(b)
	return parsedBlock{block: b, index: index, nodeNames: n, good: good, err: err}
}

// rows parses line by line and returns the number of good ones. It stops at the
// first damage, or at the end of the columns: they are shorter than the file
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
		if d == nil && r > b.row {
			d = p.order(r)
		}
		if d != nil {
			d.Line = p.file.lineOf(r)
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
			ok = p.field(role, field, r)
		}
		if !ok {
			// A wrong number of fields is the likelier cause.
			if n, err := countFields(line, p.sep); err == nil && n != len(p.roles) {
				return p.wrongCount(line)
			}
			return p.bad(c, field, p.expected(role))
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
func (p *parser) order(r int) *Damage {
	before, now := p.out.Time[r-1], p.out.Time[r]
	if now >= before || p.layout.Sort {
		return nil
	}
	d := p.bad(p.column(roleTime), nil, "a time not before the last line's "+p.clock.text(before))
	d.Found, d.Option = p.clock.text(now), OptionSort
	return d
}
