package specs

import (
	"fmt"
	"strings"

	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
)

// Origin says who chose a value.
type Origin string

const (
	// FromPaper: the paper gives the value.
	FromPaper Origin = "paper"
	// Default: our choice, neither given by the paper nor searched for.
	Default Origin = "default"
	// Tuned: found by a search, which a record shows.
	Tuned Origin = "tuned"
)

// Provenance is where the value of one option comes from. (The fields are in
// alphabetic order: records hold them as JSON with sorted keys.)
type Provenance struct {
	File   string `json:"file,omitempty"` // "" for a default of the code
	Line   int    `json:"line,omitempty"`
	Origin Origin `json:"origin"`
	Record string `json:"record,omitempty"` // of the search, where tuned
}

func (p Provenance) String() string {
	s := string(p.Origin)
	if p.Record != "" {
		s += " (" + p.Record + ")"
	}
	if p.File == "" {
		return s + ", built in"
	}
	return fmt.Sprintf("%s, %s:%d", s, p.File, p.Line)
}

// block is what a spec, its overrides and its variants have in common.
type block struct {
	Options strictyaml.Node `yaml:"options"`
	Origin  strictyaml.Node `yaml:"origin"`  // option -> Origin
	Records strictyaml.Node `yaml:"records"` // option -> record of the search
}

// layer is a set of options to be put over others. Options are named by
// their dotted path, as in "head.lr".
type layer struct {
	options strictyaml.Node
	from    map[string]Provenance
}

// newLayer reads a block. An origin belongs to a value, so it stands in the
// same block, and whoever says "tuned" shows the record.
func newLayer(b block, errs *strictyaml.Errors) layer {
	l := layer{b.Options, map[string]Provenance{}}
	var set []string
	for _, leaf := range b.Options.Leaves() {
		set = append(set, leaf.Path)
		l.from[leaf.Path] = Provenance{Origin: Default, File: leaf.File(), Line: leaf.Line()}
	}
	var words map[string]strictyaml.Node
	records, origins := map[string]string{}, map[string]Origin{}
	errs.Add(b.Origin.Decode(&words))
	errs.Add(b.Records.Decode(&records))
	for path, at := range b.Origin.Entries() {
		origins[path] = readWord(at, errs, FromPaper, Default, Tuned)
		if p, ok := l.from[path]; ok {
			p.Origin, p.Record = origins[path], records[path]
			l.from[path] = p
			continue
		}
		if errs.Full() {
			break
		}
		errs.Add(at.Errorf("no option %q is set in this block%s", path, suggest.Hint(path, set)))
	}
	for path, at := range b.Records.Entries() {
		if origins[path] != Tuned {
			errs.Add(at.Errorf("a record is for a value whose origin is %q", Tuned))
		}
	}
	for path, at := range b.Origin.Entries() {
		if origins[path] == Tuned && strings.TrimSpace(records[path]) == "" {
			errs.Add(at.Errorf("%q needs the record of the search: records: {%s: ...}", Tuned, path))
		}
	}
	return l
}
