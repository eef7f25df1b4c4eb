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
	Dataset string           `yaml:"dataset"`
	Task    protocol.Task    `yaml:"task" words:"nc lp"`
	Setting protocol.Setting `yaml:"setting,omitempty" words:"T I"`
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
	match Place
	layer
}

type variant struct {
	title string
	layer
}

type modelYAML struct {
	ID        string `yaml:"id"`
	Model     string `yaml:"model"`
	Title     string `yaml:"title"`
	Page      string `yaml:"page"`
	block     `yaml:",inline"`
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

// title returns what tables print for a variant.
func (m Model) title(variant string) string {
	if v, ok := m.variants[variant]; ok {
		return v.title
	}
	return m.Title
}

// mostBlocks is the number of overrides and variants that a model may have.
const mostBlocks = 1_000

// newModel reads a model spec and resolves its options by themselves and under
// each override and variant.
func newModel(n strictyaml.Node) (Model, error) {
	var y modelYAML
	var errs strictyaml.Errors
	errs.Add(n.Decode(&y))
	require(n, &errs, "id", "model", "title")
	checkName(n.Get("id"), y.ID, &errs)
	checkTitle(n.Get("title"), &errs)
	m := Model{
		ID: y.ID, Title: y.Title, Page: y.Page, File: n.File(),
		node: n, base: newLayer(n, y.block, &errs), variants: map[string]variant{},
	}
	if k := len(y.Overrides) + len(y.Variants); k > mostBlocks {
		errs.Add(n.Errorf("%d overrides and variants, expected at most %d", k, mostBlocks))
		return Model{}, errs.Err()
	}
	for _, o := range y.Overrides {
		m.overrides = append(m.overrides, newOverride(o, &errs))
	}
	for key, v := range n.Get("variants").Entries() {
		checkName(v, key, &errs)
		m.variants[key] = newVariant(v, &errs)
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
	resolve := func(layers ...layer) {
		_, err := m.merge(layers...)
		errs.Add(err)
	}
	resolve(m.base)
	for _, o := range m.overrides {
		resolve(m.base, o.layer)
	}
	for _, name := range m.Variants() {
		resolve(m.base, m.variants[name].layer)
	}
	m.search = m.readSearch(y.Search, &errs)
	return m, errs.Err()
}

func newOverride(n strictyaml.Node, errs *strictyaml.Errors) override {
	var y struct {
		Match Place `yaml:"match"`
		block `yaml:",inline"`
	}
	errs.Add(n.Decode(&y))
	require(n, errs, "match", "options")
	match := n.Get("match")
	if match.IsMapping() && !match.Get("dataset").Present() && !match.Get("task").Present() && !match.Get("setting").Present() {
		errs.Add(match.Errorf("expected at least one of dataset, task, setting"))
	}
	if dataset, ok := text(match.Get("dataset")); ok {
		checkDataset(match.Get("dataset"), dataset, errs)
	}
	return override{y.Match, newLayer(n, y.block, errs)}
}

func newVariant(n strictyaml.Node, errs *strictyaml.Errors) variant {
	var y struct {
		Title string `yaml:"title"`
		block `yaml:",inline"`
	}
	errs.Add(n.Decode(&y))
	require(n, errs, "title", "options")
	checkTitle(n.Get("title"), errs)
	return variant{y.Title, newLayer(n, y.block, errs)}
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

const (
	// FromPaper values are given by the paper.
	FromPaper Origin = "paper"
	// Default values are our choice, neither given by the paper nor searched for.
	Default Origin = "default"
	// Tuned values were found by a search, which a record shows.
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
	Options strictyaml.Node            `yaml:"options"`
	Origin  map[string]strictyaml.Node `yaml:"origin"`  // option -> Origin
	Records map[string]string          `yaml:"records"` // option -> record of the search
}

// layer is a set of options to be put over others. Options are named by
// their dotted path, as in "head.lr".
type layer struct {
	options strictyaml.Node
	from    map[string]Provenance
}

// newLayer reads the block n, which decodes as b. The origin of a value is in
// the same block as the value, and one that is tuned has a record.
func newLayer(n strictyaml.Node, b block, errs *strictyaml.Errors) layer {
	l := layer{b.Options, map[string]Provenance{}}
	var set []string
	for _, leaf := range b.Options.Leaves() {
		set = append(set, leaf.Path)
		l.from[leaf.Path] = Provenance{Origin: Default, File: leaf.File(), Line: leaf.Line()}
	}
	tuned := map[string]bool{}
	for path, at := range n.Get("origin").Entries() {
		origin := strictyaml.Word(at, errs, FromPaper, Default, Tuned)
		tuned[path] = origin == Tuned
		if p, ok := l.from[path]; ok {
			p.Origin, p.Record = origin, b.Records[path]
			l.from[path] = p
		} else if !errs.Full() {
			errs.Add(at.Errorf("no option %q is set in this block%s", path, suggest.Hint(path, set)))
		}
		if tuned[path] && strings.TrimSpace(b.Records[path]) == "" {
			errs.Add(at.Errorf("%q needs the record of the search: records: {%s: ...}", Tuned, path))
		}
	}
	for path, at := range n.Get("records").Entries() {
		if !tuned[path] {
			errs.Add(at.Errorf("a record is for a value whose origin is %q", Tuned))
		}
	}
	return l
}
