package specs

import (
	"strings"

	"dgsbench/internal/strictyaml"
)

// Found is what a search has found best at a place: a value for the Name of
// each Parameter, and the record that shows it.
type Found struct {
	At     Place
	Values map[string]any
	Record string
}

// tunedYAML is a model spec that has been read, to be written again.
type tunedYAML struct {
	ID        string          `yaml:"id"`
	Model     string          `yaml:"model"`
	Title     string          `yaml:"title"`
	Page      string          `yaml:"page,omitempty"`
	Options   strictyaml.Node `yaml:"options,omitempty"`
	Origin    strictyaml.Node `yaml:"origin,omitempty"`
	Records   strictyaml.Node `yaml:"records,omitempty"`
	Overrides []any           `yaml:"overrides"`
	Variants  strictyaml.Node `yaml:"variants,omitempty"`
	Search    strictyaml.Node `yaml:"search,omitempty"`
}

type tunedOverride struct {
	Match   tunedMatch        `yaml:"match"`
	Options strictyaml.Node   `yaml:"options"`
	Origin  map[string]Origin `yaml:"origin"`
	Records map[string]string `yaml:"records"`
}

type tunedMatch struct {
	Dataset string `yaml:"dataset"`
	Task    string `yaml:"task"`
	Setting string `yaml:"setting,omitempty"`
}

// Tuned writes the spec of the model with what has been found, as overrides
// behind its own ones, so that it can take the place of this one. What old, an
// earlier tuned spec of the model, has for other places is kept; it may be the
// zero Model. about becomes comment lines on top.
func (m Model) Tuned(found []Found, old Model, about string) ([]byte, error) {
	y := tunedYAML{
		ID: m.ID, Model: m.Kind.Name, Title: m.Title, Page: m.Page,
		Options: m.node.Get("options"), Origin: m.node.Get("origin"), Records: m.node.Get("records"),
		Variants: m.node.Get("variants"), Search: m.node.Get("search"),
	}
	done := map[Place]bool{} // places whose tuned override is written, or replaced
	for _, f := range found {
		done[f.At] = true
	}
	y.keep(m, done, override.any)
	y.keep(old, done, override.isTuned)
	for _, f := range found {
		o, err := m.tunedOverride(f)
		if err != nil {
			return nil, err
		}
		y.Overrides = append(y.Overrides, o)
	}
	text, err := strictyaml.Encode(y, nil)
	if err != nil {
		return nil, err
	}
	return []byte("# " + strings.ReplaceAll(about, "\n", "\n# ") + "\n" + string(text)), nil
}

// keep takes a model's overrides over: those wanted, and no tuned one of a
// place that is done.
func (y *tunedYAML) keep(m Model, done map[Place]bool, wanted func(override) bool) {
	items := m.node.Get("overrides").Items()
	for i, o := range m.overrides {
		if !wanted(o) || o.isTuned() && done[o.match] {
			continue
		}
		if o.isTuned() {
			done[o.match] = true
		}
		y.Overrides = append(y.Overrides, items[i])
	}
}

func (o override) any() bool { return true }

// isTuned reports whether it comes from a search: no option is the spec's own
// choice.
func (o override) isTuned() bool {
	tuned := false
	for _, p := range o.from {
		if p.Origin == Default {
			return false
		}
		tuned = tuned || p.Origin == Tuned
	}
	return tuned
}

func (m Model) tunedOverride(f Found) (tunedOverride, error) {
	options, origins, err := m.point(f.At.Task, f.Values, f.Record)
	o := tunedOverride{
		Match:   tunedMatch{f.At.Dataset, string(f.At.Task), string(f.At.Setting)},
		Options: options, Origin: map[string]Origin{}, Records: map[string]string{},
	}
	for path, p := range origins {
		o.Origin[path] = p.Origin
		if p.Record != "" {
			o.Records[path] = p.Record
		}
	}
	return o, err
}
