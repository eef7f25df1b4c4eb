package specs

import (
	"maps"
	"slices"
	"strings"

	"dgsbench/internal/strictyaml"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Place is where options apply. In an override, an empty field fits all.
type Place struct {
	Dataset string
	Task    protocol.Task
	Setting protocol.Setting
}

func (p Place) fits(q Place) bool {
	return (p.Dataset == "" || p.Dataset == q.Dataset) &&
		(p.Task == "" || p.Task == q.Task) &&
		(p.Setting == "" || p.Setting == q.Setting)
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
	ID        string          `yaml:"id"`
	Model     strictyaml.Node `yaml:"model"`
	Title     string          `yaml:"title"`
	Page      string          `yaml:"page"`
	block     `yaml:",inline"`
	Overrides []strictyaml.Node          `yaml:"overrides"`
	Variants  map[string]strictyaml.Node `yaml:"variants"`
	Search    []strictyaml.Node          `yaml:"search"`
}

type overrideYAML struct {
	Match matchYAML `yaml:"match"`
	block `yaml:",inline"`
}

type matchYAML struct {
	Dataset strictyaml.Node `yaml:"dataset"`
	Task    strictyaml.Node `yaml:"task"`
	Setting strictyaml.Node `yaml:"setting"`
}

type variantYAML struct {
	Title string `yaml:"title"`
	block `yaml:",inline"`
}

// JoinRef is how lists and flags name a variant of a model: "edgebank+tw",
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

// title is what tables print for a variant.
func (m Model) title(variant string) string {
	if v, ok := m.variants[variant]; ok {
		return v.title
	}
	return m.Title
}

// mostBlocks is the number of overrides and variants that a model may have.
const mostBlocks = 1_000

// newModel reads a model spec and tries every block of options that it
// holds.
func newModel(n strictyaml.Node) (Model, error) {
	var y modelYAML
	var errs strictyaml.Errors
	errs.Add(n.Decode(&y))
	require(n, &errs, "id", "model", "title")
	checkName(n.Get("id"), y.ID, &errs)
	checkTitle(n.Get("title"), &errs)
	m := Model{
		ID: y.ID, Title: y.Title, Page: y.Page, File: n.File(),
		node: n, base: newLayer(y.block, &errs), variants: map[string]variant{},
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
	kind, ok := readKind(y.Model, &errs)
	if !ok {
		return Model{}, errs.Err()
	}
	m.Kind = kind
	m.check(&errs)
	m.search = m.readSearch(y.Search, &errs)
	return m, errs.Err()
}

func newOverride(n strictyaml.Node, errs *strictyaml.Errors) override {
	var y overrideYAML
	errs.Add(n.Decode(&y))
	require(n, errs, "match", "options")
	match := n.Get("match")
	if match.Present() && y.Match == (matchYAML{}) {
		errs.Add(match.Errorf("expected at least one of dataset, task, setting"))
	}
	at := Place{
		Dataset: readDataset(y.Match.Dataset, errs),
		Task:    readWord(y.Match.Task, errs, protocol.NodeClassification, protocol.LinkPrediction),
		Setting: readWord(y.Match.Setting, errs, protocol.Transductive, protocol.Inductive),
	}
	return override{at, newLayer(y.block, errs)}
}

func newVariant(n strictyaml.Node, errs *strictyaml.Errors) variant {
	var y variantYAML
	errs.Add(n.Decode(&y))
	require(n, errs, "title", "options")
	checkTitle(n.Get("title"), errs)
	return variant{y.Title, newLayer(y.block, errs)}
}

// check tries the options by themselves and under each override and variant.
func (m Model) check(errs *strictyaml.Errors) {
	try := func(layers ...layer) {
		_, err := m.merge(layers...)
		errs.Add(err)
	}
	try(m.base)
	for _, o := range m.overrides {
		try(m.base, o.layer)
	}
	for _, name := range m.Variants() {
		try(m.base, m.variants[name].layer)
	}
}

func readKind(n strictyaml.Node, errs *strictyaml.Errors) (models.Kind, bool) {
	var kind string
	if err := n.Decode(&kind); err != nil || !n.Present() {
		errs.Add(err)
		return models.Kind{}, false
	}
	k, err := models.Lookup(kind)
	if err != nil {
		errs.Add(n.Errorf("%s", unknown("kind", kind, models.Names())))
	}
	return k, err == nil
}
