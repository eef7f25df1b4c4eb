package specs

import (
	"fmt"
	"strings"

	"dgsbench/internal/strictyaml"
	"dgsbench/models"
)

// shown is a model with all of its values, in the layout of a spec.
type shown struct {
	ID      string          `yaml:"id"`
	Variant string          `yaml:"variant,omitempty"`
	Model   string          `yaml:"model"`
	Title   string          `yaml:"title"`
	Page    string          `yaml:"page,omitempty"`
	Options models.Options  `yaml:"options"`
	Search  strictyaml.Node `yaml:"search,omitempty"` // as it stands in the spec
}

// Show prints a model, given as id or id+variant, as YAML with all of its
// options, each followed by its origin and where it stands, and the ranges
// that a search tries. The options are those in the given place; the empty
// place leaves overrides out, and they are listed at the top.
func (l *Library) Show(ref string, at Place) (string, error) {
	id, variant := SplitRef(ref)
	m, err := l.LoadModel(id)
	if err != nil {
		return "", err
	}
	r, err := m.Resolve(at, variant)
	if err != nil {
		return "", err
	}
	text, err := strictyaml.Encode(
		shown{m.ID, variant, m.Kind.Name, m.title(variant), m.Page, r.Options, m.node.Get("search")},
		func(path string) string {
			if option, ok := strings.CutPrefix(path, "options."); ok {
				return r.Origins[option].String()
			}
			return ""
		})
	if err != nil {
		return "", err
	}
	return m.otherPlaces(at) + string(text), nil
}

// otherPlaces lists the overrides that do not apply here.
func (m Model) otherPlaces(at Place) string {
	var out strings.Builder
	for _, o := range m.overrides {
		if !o.match.fits(at) {
			fmt.Fprintf(&out, "# has other options on %s\n", o.match)
		}
	}
	return out.String()
}

func (p Place) String() string {
	var parts []string
	for _, part := range []struct{ key, value string }{
		{"dataset", p.Dataset}, {"task", string(p.Task)}, {"setting", string(p.Setting)},
	} {
		if part.value != "" {
			parts = append(parts, part.key+" "+part.value)
		}
	}
	return strings.Join(parts, ", ")
}
