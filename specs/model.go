package specs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dgsbench/datasets"
	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Place is where options apply. In an override, an empty field fits all.
type Place struct {
	Dataset string           `yaml:"dataset" json:"dataset"`
	Task    protocol.Task    `yaml:"task" json:"task" words:"nc lp"`
	Setting protocol.Setting `yaml:"setting,omitempty" json:"setting,omitempty" words:"T I"`
}

func (p Place) fits(q Place) bool {
	return (p.Dataset == "" || p.Dataset == q.Dataset) &&
		(p.Task == "" || p.Task == q.Task) &&
		(p.Setting == "" || p.Setting == q.Setting)
}

func (p Place) String() string {
	var parts []string
	for _, part := range [][2]string{{"dataset", p.Dataset}, {"task", string(p.Task)}, {"setting", string(p.Setting)}} {
		if part[1] != "" {
			parts = append(parts, part[0]+" "+part[1])
		}
	}
	return strings.Join(parts, ", ")
}

// Model is a model specification: a registered kind and its options.
type Model struct {
	ID    string // the name of its rows, as in --models
	Title string // as tables print it
	Page  string // of the documentation
	File  string
	Kind  models.Kind

	node      strictyaml.Node
	base      layer
	overrides []override
	variants  map[string]variant
	search    []Parameter
}

type override struct {
	Match Place `yaml:"match" key:"required"`
	layer `yaml:",inline"`
}

type variant struct {
	Title string `yaml:"title" key:"required" text:"title"`
	layer `yaml:",inline"`
}

type modelYAML struct {
	ID        string `yaml:"id"`
	Model     string `yaml:"model"`
	Title     string `yaml:"title" key:"required" text:"title"`
	Page      string `yaml:"page"`
	layer     `yaml:",inline"`
	Overrides []strictyaml.Node          `yaml:"overrides"`
	Variants  map[string]strictyaml.Node `yaml:"variants"`
	Search    []strictyaml.Node          `yaml:"search"`
}

// JoinRef returns how lists and flags name a variant of a model: "edgebank+tw",
// or the id alone for the empty variant.
func JoinRef(id, variant string) string {
	if variant == "" {
		return id
	}
	return id + "+" + variant
}

// SplitRef is the inverse of JoinRef.
func SplitRef(ref string) (id, variant string) {
	id, variant, _ = strings.Cut(ref, "+")
	return id, variant
}

// Variants lists the named option sets, sorted, without the empty one.
func (m Model) Variants() []string { return slices.Sorted(maps.Keys(m.variants)) }

func (m Model) title(variant string) string {
	if v, ok := m.variants[variant]; ok {
		return v.Title
	}
	return m.Title
}

// maxBlocks is the number of overrides and variants that a model may have.
const maxBlocks = 1_000

// newModel reads a model spec, whose options must be right, alone and with each override or variant.
func newModel(n strictyaml.Node) (Model, error) {
	var y modelYAML
	var errs strictyaml.Errors
	errs.Add(n.Decode(&y))
	m := Model{ID: y.ID, Title: y.Title, Page: y.Page, File: n.File(), node: n, variants: map[string]variant{}}
	m.base = y.layer.traced(n, &errs)
	if k := len(y.Overrides) + len(y.Variants); k > maxBlocks {
		errs.Add(n.Errorf("%d overrides and variants, expected at most %d", k, maxBlocks))
		return Model{}, errs.Err()
	}
	for _, at := range y.Overrides {
		m.overrides = append(m.overrides, newOverride(at, &errs))
	}
	for key, at := range n.Get("variants").Entries() {
		errs.Add(checkName(at, key))
		var v variant
		errs.Add(at.Decode(&v))
		if v.Velocity == nil {
			require(at, &errs, "options")
		}
		v.layer = v.layer.traced(at, &errs)
		m.variants[key] = v
	}
	kind, ok := text(n.Get("model"))
	if !ok {
		return Model{}, errs.Err()
	}
	var err error
	if m.Kind, err = models.Lookup(kind); err != nil {
		errs.Add(n.Get("model").Errorf("%s", unknown("kind", kind, models.Names())))
		return Model{}, errs.Err()
	}
	over := []layer{{}}
	for _, o := range m.overrides {
		over = append(over, o.layer)
	}
	for _, name := range m.Variants() {
		over = append(over, m.variants[name].layer)
	}
	for i, l := range over {
		resolved, err := m.merge(m.base, l)
		errs.Add(err)
		if err == nil {
			declared := m.Kind.With(resolved.Options)
			if i == 0 {
				m.Kind = declared
			} else if !declared.Does(m.Kind) {
				errs.Add(n.Errorf("an override or a variant declares other tasks, another class or another use of features than the spec; use a spec of its own"))
				break
			}
		}
		if resolved.Velocity && m.Kind.Features == models.FeaturesIgnored {
			errs.Add(n.Errorf("velocity: models of kind %q ignore features; leave the key out", m.Kind.Name))
			break
		}
	}
	m.search = m.readSearch(y.Search, &errs)
	return m, errs.Err()
}

func newOverride(n strictyaml.Node, errs *strictyaml.Errors) (o override) {
	errs.Add(n.Decode(&o))
	require(n, errs, "options")
	o.layer = o.layer.traced(n, errs)
	match := n.Get("match")
	if match.IsMapping() && !match.Get("dataset").Present() && !match.Get("task").Present() && !match.Get("setting").Present() {
		errs.Add(match.Errorf("expected at least one of dataset, task, setting"))
	}
	if dataset, ok := text(match.Get("dataset")); ok {
		checkDataset(match.Get("dataset"), dataset, errs)
	}
	return o
}

// checkDataset reports a dataset that is not known.
func checkDataset(n strictyaml.Node, dataset string, errs *strictyaml.Errors) bool {
	_, err := datasets.Lookup(dataset)
	base, _, _ := strings.Cut(dataset, "@")
	switch {
	case err == nil:
		return true
	case slices.Contains(datasets.Names(), base): // the size behind the @ is wrong
		errs.Add(n.Errorf("%v", err))
	default:
		errs.Add(n.Errorf("%s", unknown("dataset", dataset, datasets.Names())))
	}
	return false
}

// Origin is who chose a value.
type Origin string

// The origins of values.
const (
	FromPaper Origin = "paper"   // the paper gives it
	Default   Origin = "default" // our choice, neither given by the paper nor searched for
	Tuned     Origin = "tuned"   // found by a search, which a record shows
)

// Provenance is where the value of one option comes from. (Records hold it as
// JSON, with sorted keys.)
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

// layer is a set of options to be put over others: what a spec, its overrides and
// its variants have in common. Options are named by their dotted path, as in
// "head.lr".
type layer struct {
	// Velocity adds datasets.Velocity to the features that the model is given.
	Velocity *bool             `yaml:"velocity,omitempty"`
	Options  strictyaml.Node   `yaml:"options"`
	Origin   map[string]Origin `yaml:"origin" words:"paper default tuned"`
	Records  map[string]string `yaml:"records"` // of the search

	from map[string]Provenance
}

// traced returns the layer, which was decoded from n, with the provenance of its
// values. The origin of a value is in the same block as the value, and one that
// is tuned has a record.
func (l layer) traced(n strictyaml.Node, errs *strictyaml.Errors) layer {
	l.from = map[string]Provenance{}
	var set []string
	for _, leaf := range l.Options.Leaves() {
		set = append(set, leaf.Path)
		l.from[leaf.Path] = Provenance{Origin: Default, File: leaf.File(), Line: leaf.Line()}
	}
	for path, at := range n.Get("origin").Entries() {
		if p, ok := l.from[path]; ok {
			p.Origin, p.Record = l.Origin[path], l.Records[path]
			l.from[path] = p
		} else if !errs.Full() {
			errs.Add(at.Errorf("no option %q is set in this block%s", path, suggest.Hint(path, set)))
		}
		if l.Origin[path] == Tuned && strings.TrimSpace(l.Records[path]) == "" {
			errs.Add(at.Errorf("%q needs the record of the search: records: {%s: ...}", Tuned, path))
		}
	}
	for path, at := range n.Get("records").Entries() {
		if l.Origin[path] != Tuned {
			errs.Add(at.Errorf("a record is for a value whose origin is %q", Tuned))
		}
	}
	return l
}
