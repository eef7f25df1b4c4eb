package specs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
	"dgsbench/models"
)

// Resolved are a model's options in one place, and where each comes from.
type Resolved struct {
	Options models.Options
	Origins map[string]Provenance // by dotted path
}

// Resolve gives the options of a variant ("" for none) in a place: the
// code's defaults, the spec's options, the overrides that fit, in order, and
// the variant's options, later ones over earlier ones.
func (m Model) Resolve(at Place, variant string) (Resolved, error) {
	return m.resolve(at, variant)
}

// ResolveWith is Resolve with one more option on top: its dotted path and its
// value as YAML.
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
	var errs strictyaml.Errors
	more := newLayer(block{Options: n.Below(path)}, &errs)
	if err := errs.Err(); err != nil {
		return Resolved{}, err
	}
	return m.resolve(at, variant, more)
}

// resolve puts further layers on top.
func (m Model) resolve(at Place, variant string, more ...layer) (Resolved, error) {
	layers := []layer{m.base}
	for _, o := range m.overrides {
		if o.match.fits(at) {
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
	r := Resolved{m.Kind.Options(), map[string]Provenance{}}
	defaults, err := strictyaml.Of(r.Options)
	if err != nil {
		return Resolved{}, err
	}
	for _, leaf := range defaults.Leaves() {
		r.Origins[leaf.Path] = Provenance{Origin: Default}
	}
	var errs strictyaml.Errors
	for _, l := range layers {
		errs.Add(l.options.Decode(r.Options))
		maps.Copy(r.Origins, l.from)
	}
	if err := errs.Err(); err != nil {
		return Resolved{}, err
	}
	if err := r.Options.Validate(); err != nil {
		return Resolved{}, m.locate(err, r.Origins)
	}
	return r, nil
}

// locate puts file and line before a message that names an option.
func (m Model) locate(err error, origins map[string]Provenance) error {
	at := Provenance{File: m.File, Line: m.node.Get("model").Line()}
	if p, ok := origins[namedOption(err.Error(), origins)]; ok && p.File != "" {
		at = p
	}
	return &strictyaml.Error{File: at.File, Line: at.Line, Text: err.Error()}
}

// namedOption is the path of the first option that the text names, by its
// path or by the last part of it; "" when there is none.
func namedOption(text string, origins map[string]Provenance) string {
	paths := slices.Sorted(maps.Keys(origins))
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.", r)
	})
	for _, word := range words {
		for _, path := range paths {
			if path == word || strings.HasSuffix(path, "."+word) {
				return path
			}
		}
	}
	return ""
}
