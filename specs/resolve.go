package specs

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
	"dgsbench/models"
)

// Resolved are a model's options in one place, and where each comes from.
type Resolved struct {
	Options  models.Options
	Origins  map[string]Provenance // by dotted path
	Velocity bool                  // its features are those of the dataset and datasets.Velocity
}

// Resolve returns the options of a variant ("" for none) in a place: the
// code's defaults, the spec's options, the overrides that fit, in order, and
// the variant's options, later ones over earlier ones.
func (m Model) Resolve(at Place, variant string) (Resolved, error) {
	return m.resolve(at, variant)
}

// ResolveWith is like Resolve with one more option on top, its value as YAML.
func (m Model) ResolveWith(at Place, variant, path, value string) (Resolved, error) {
	r, err := m.Resolve(at, variant)
	if err != nil {
		return Resolved{}, err
	}
	if _, ok := r.Origins[path]; !ok {
		known := slices.Sorted(maps.Keys(r.Origins))
		return Resolved{}, fmt.Errorf("model %q has no option %q%s", m.ID, path, suggest.Hint(path, known))
	}
	n, err := strictyaml.Parse(path+": "+value, []byte(value))
	if err != nil {
		return Resolved{}, err
	}
	return m.resolve(at, variant, layerOf(n.Below(path)))
}

// layerOf returns a layer without origins.
func layerOf(options strictyaml.Node) layer {
	return layer{Options: options}.traced(strictyaml.Node{}, nil)
}

// tunedAt returns the overrides of a place whose values a search has found.
func (m Model) tunedAt(at Place) (out []layer) {
	for _, o := range m.overrides {
		if o.Match.fits(at) && anyTuned(o.from) {
			out = append(out, o.layer)
		}
	}
	return out
}

// anyTuned reports whether a search found some of the options.
func anyTuned(from map[string]Provenance) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(from)), func(p Provenance) bool { return p.Origin == Tuned })
}

// resolve is like Resolve with further layers on top.
func (m Model) resolve(at Place, variant string, more ...layer) (Resolved, error) {
	layers := []layer{m.base}
	for _, o := range m.overrides {
		if o.Match.fits(at) {
			layers = append(layers, o.layer)
		}
	}
	if variant != "" {
		v, ok := m.variants[variant]
		if !ok {
			return Resolved{}, m.unknownVariant(variant)
		}
		layers = append(layers, v.layer)
	}
	return m.merge(append(layers, more...)...)
}

func (m Model) unknownVariant(name string) error {
	return fmt.Errorf("model %q has no variant %q%s", m.ID, name, suggest.Hint(name, m.Variants()))
}

// merge puts the layers over the code's defaults and validates the result.
func (m Model) merge(layers ...layer) (Resolved, error) {
	r := Resolved{Options: m.Kind.Options(), Origins: map[string]Provenance{}}
	defaults, err := strictyaml.Of(r.Options)
	if err != nil {
		return Resolved{}, err
	}
	for _, leaf := range defaults.Leaves() {
		r.Origins[leaf.Path] = Provenance{Origin: Default}
	}
	var errs strictyaml.Errors
	for _, l := range layers {
		errs.Add(l.Options.Decode(r.Options))
		maps.Copy(r.Origins, l.from)
		if l.Velocity != nil {
			r.Velocity = *l.Velocity
		}
	}
	if err := errs.Err(); err != nil {
		return Resolved{}, err
	}
	if err := r.Options.Validate(); err != nil {
		at := Provenance{File: m.File, Line: m.node.Get("model").Line()}
		var option *models.OptionError
		if errors.As(err, &option) && r.Origins[option.Option].File != "" {
			at = r.Origins[option.Option]
		}
		return Resolved{}, &strictyaml.Error{File: at.File, Line: at.Line, Text: err.Error()}
	}
	return r, nil
}

// written is a model spec as it is written.
type written struct {
	ID        string          `yaml:"id"`
	Variant   string          `yaml:"variant,omitempty"`
	Model     string          `yaml:"model"`
	Title     string          `yaml:"title"`
	Page      string          `yaml:"page,omitempty"`
	Velocity  bool            `yaml:"velocity,omitempty"`
	Options   any             `yaml:"options,omitempty"`
	Origin    strictyaml.Node `yaml:"origin,omitempty"`
	Records   strictyaml.Node `yaml:"records,omitempty"`
	Overrides []any           `yaml:"overrides,omitempty"`
	Variants  strictyaml.Node `yaml:"variants,omitempty"`
	Search    strictyaml.Node `yaml:"search,omitempty"`
}

// Shown is a model in one place.
type Shown struct {
	written
	origins   map[string]Provenance
	overrides []Place // those that the place leaves out
}

// Show returns a model, given as id or id+variant, with all of its options in the
// given place, and the ranges that a search tries. The empty place leaves
// overrides out.
func (l *Library) Show(ref string, at Place) (Shown, error) {
	id, variant := SplitRef(ref)
	m, err := l.LoadModel(id)
	if err != nil {
		return Shown{}, err
	}
	r, err := m.Resolve(at, variant)
	if err != nil {
		return Shown{}, err
	}
	s := Shown{
		written: written{
			ID: m.ID, Variant: variant, Model: m.Kind.Name, Title: m.title(variant), Page: m.Page, Velocity: r.Velocity,
			Options: r.Options, Search: m.node.Get("search"),
		},
		origins: r.Origins,
	}
	for _, o := range m.overrides {
		if !o.Match.fits(at) {
			s.overrides = append(s.overrides, o.Match)
		}
	}
	return s, nil
}

// YAML returns the model as a spec, each option followed by its origin, file and
// line. Overrides that were left out are listed at the top.
func (s Shown) YAML() (string, error) {
	text, err := strictyaml.Encode(s.written, func(path string) string {
		if option, ok := strings.CutPrefix(path, "options."); ok {
			return s.origins[option].String()
		}
		return ""
	})
	head := ""
	for _, o := range s.overrides {
		head += fmt.Sprintf("# has other options on %s\n", o)
	}
	return head + string(text), err
}

// MarshalJSON returns the keys of the spec, and the origins of its options.
func (s Shown) MarshalJSON() ([]byte, error) {
	out := plain(s.written).(map[string]any)
	out["origins"] = s.origins
	return json.Marshal(out)
}
