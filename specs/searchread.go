package specs

import (
	"maps"
	"math"
	"slices"
	"strings"

	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
	"dgsbench/protocol"
)

// parameterYAML is an entry of a `search:` block.
type parameterYAML struct {
	Option  string          `yaml:"option"`
	Part    strictyaml.Node `yaml:"part"`
	Title   string          `yaml:"title"`
	Low     *float64        `yaml:"low"`
	High    *float64        `yaml:"high"`
	Scale   strictyaml.Node `yaml:"scale"`
	Step    *int            `yaml:"step"`
	Choices strictyaml.Node `yaml:"choices"`
	Tasks   strictyaml.Node `yaml:"tasks"`
	Source  strictyaml.Node `yaml:"source"`
	Note    string          `yaml:"note"`
	Default strictyaml.Node `yaml:"default"` // "outside": the default is not in the range, on purpose
}

// outside is the one word of `default:`.
const outside = "outside"

// searchReader reads the `search:` block of a model.
type searchReader struct {
	model    Model
	defaults map[string]strictyaml.Leaf // the model's own options
	errs     *strictyaml.Errors
}

// readSearch reads what is searched, each entry by itself and then all of
// them together.
func (m Model) readSearch(entries []strictyaml.Node, errs *strictyaml.Errors) []Parameter {
	resolved, err := m.merge(m.base)
	if err != nil {
		return nil // reported where the options are tried
	}
	r := searchReader{m, map[string]strictyaml.Leaf{}, errs}
	options, err := strictyaml.Of(resolved.Options)
	errs.Add(err)
	for _, leaf := range options.Leaves() {
		r.defaults[leaf.Path] = leaf
	}
	var out []Parameter
	whole := true
	for _, n := range entries {
		p, ok := r.entry(n)
		whole = whole && ok
		out = append(out, p)
	}
	if whole {
		r.model.search = out
		r.together(entries, out)
	}
	return out
}

// entry reads one parameter.
func (r searchReader) entry(n strictyaml.Node) (Parameter, bool) {
	var y parameterYAML
	var errs strictyaml.Errors
	errs.Add(n.Decode(&y))
	require(n, &errs, "option", "title", "source")
	checkTitle(n.Get("title"), &errs)
	p := Parameter{
		Option: y.Option, Part: readWord(y.Part, &errs, ListLength, ListItem), Title: y.Title,
		Tasks: r.tasks(y.Tasks, &errs), Source: readWord(y.Source, &errs, FromPaper, Default), Note: y.Note,
		File: n.File(), Line: n.Line(),
	}
	word := readWord(y.Default, &errs, outside)
	def, ok := r.defaults[y.Option]
	switch {
	case !n.Get("option").Present():
	case !ok:
		known := slices.Sorted(maps.Keys(r.defaults))
		errs.Add(n.Get("option").Errorf("model %q has no option %q%s", r.model.ID, y.Option, suggest.Hint(y.Option, known)))
	case y.Choices.Present():
		p.readChoices(n, y, &errs)
	default:
		p.readEnds(n, y, &errs)
	}
	if errs.Err() == nil {
		errs.Add(p.checkDefault(n, def.Node, word != ""))
	}
	r.errs.Add(errs.Err())
	return p, errs.Err() == nil
}

// tasks are those in the list, or else all of the model.
func (r searchReader) tasks(n strictyaml.Node, errs *strictyaml.Errors) []protocol.Task {
	can := r.model.Kind.Tasks
	if !n.Present() {
		return can
	}
	tasks := readWords(n, errs, protocol.NodeClassification, protocol.LinkPrediction)
	for _, t := range tasks {
		if !slices.Contains(can, t) {
			errs.Add(n.Errorf("model %q cannot do the task %q; it can do: %s", r.model.ID, t, strings.Join(texts(can), ", ")))
		}
	}
	return tasks
}

func (p *Parameter) readChoices(n strictyaml.Node, y parameterYAML, errs *strictyaml.Errors) {
	for _, key := range []string{"low", "high", "scale", "step", "part"} {
		if at := n.Get(key); at.Present() {
			errs.Add(at.Errorf("choices have no %s; leave one of the two out", key))
		}
	}
	if len(y.Choices.Items()) == 0 {
		errs.Add(y.Choices.Errorf("expected a list with at least one value"))
	}
	seen := map[any]bool{}
	for _, item := range y.Choices.Items() {
		v, err := item.Value()
		errs.Add(err)
		switch v.(type) {
		case string, bool, int, float64:
		default:
			errs.Add(item.Errorf("expected a text, a number, true or false"))
			continue
		}
		if seen[v] {
			errs.Add(item.Errorf("%v is listed twice", v))
		}
		seen[v] = true
		p.Choices = append(p.Choices, v)
	}
}

func (p *Parameter) readEnds(n strictyaml.Node, y parameterYAML, errs *strictyaml.Errors) {
	require(n, errs, "low", "high", "scale")
	p.Scale = readWord(y.Scale, errs, Linear, Log, Whole)
	if y.Low == nil || y.High == nil || p.Scale == "" {
		return
	}
	p.Low, p.High = *y.Low, *y.High
	if p.Low >= p.High {
		errs.Add(n.Get("high").Errorf("expected more than low, which is %g, found %g", p.Low, p.High))
	}
	if p.Scale == Log && p.Low <= 0 {
		errs.Add(n.Get("low").Errorf("expected more than 0 with scale: log, found %g", p.Low))
	}
	if p.Scale == Whole && (p.Low != math.Trunc(p.Low) || p.High != math.Trunc(p.High)) {
		errs.Add(n.Get("low").Errorf("expected whole numbers with scale: int, found %g and %g", p.Low, p.High))
	}
	if p.Scale == Whole {
		p.Step = 1
	}
	if y.Step == nil {
		return
	}
	p.Step = *y.Step
	span := int(p.High - p.Low)
	if p.Scale != Whole || p.Step < 1 || span%p.Step != 0 {
		errs.Add(n.Get("step").Errorf("expected, with scale: int, a whole number that divides high - low, found %d", p.Step))
	}
}
