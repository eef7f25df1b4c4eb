package specs

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/internal/strictyaml"
	"dgsbench/protocol"
	"dgsbench/results/recorded"
)

// ResolveSearched is like Resolve with a point of the model's search space on
// top: a value for the Name of each Parameter of SearchFor. All numbers are
// float64; record is the file of the search.
func (m Model) ResolveSearched(at Place, values map[string]any, record string) (Resolved, error) {
	point, err := m.point(at.Task, values, record)
	if err != nil {
		return Resolved{}, fmt.Errorf("model %q: %w", m.ID, err)
	}
	return m.resolve(at, "", point)
}

// point returns the layer of a point of the search space. What has been chosen is
// tuned; the origin of what is only set is that of its range. A name that is no
// parameter's, or one that is missing, is a mistake of the program.
func (m Model) point(task protocol.Task, values map[string]any, record string) (layer, error) {
	params := m.SearchFor(task)
	if len(params) != len(values) {
		panic(fmt.Sprintf("specs: %d values for %d parameters", len(values), len(params)))
	}
	options, origins := map[string]any{}, map[string]Provenance{}
	for _, p := range params {
		v := p.value(values)
		if p.Part == ListLength {
			item := params[slices.IndexFunc(params, func(q Parameter) bool { return q.Option == p.Option && q.Part == ListItem })]
			v = slices.Repeat([]any{item.value(values)}, v.(int))
		}
		if p.Part != ListItem { // it is set with the length
			put(options, p.Option, v)
		}
		origins[p.Option] = Provenance{Origin: Tuned, Record: record}
		if len(p.Choices) == 1 {
			origins[p.Option] = Provenance{Origin: p.Source, File: p.at.File(), Line: p.at.Line()}
		}
	}
	n, err := strictyaml.Of(options)
	return layer{Options: n, from: origins}, err
}

// value returns the parameter's value: a whole number without a fraction, so
// that it fits an option that counts something.
func (p Parameter) value(values map[string]any) any {
	v, ok := values[p.Name()]
	if !ok {
		panic(fmt.Sprintf("specs: no value for %s", p.Name()))
	}
	if x, ok := v.(float64); ok && p.Scale == Whole {
		return int(x)
	}
	return v
}

func put(into map[string]any, path string, v any) {
	first, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		into[first] = v
		return
	}
	below, ok := into[first].(map[string]any)
	if !ok {
		below = map[string]any{}
		into[first] = below
	}
	put(below, rest, v)
}

// Found is the best point that a search has found at a place: a value for the
// Name of each Parameter, and the record that shows it.
type Found struct {
	At     Place
	Values map[string]any
	Record string
}

// Tuned writes the spec of the model with what has been found as overrides behind
// its own ones and those that old, an earlier tuned spec or the zero Model, has for
// other places. about becomes comment lines on top.
func (m Model) Tuned(found []Found, old Model, about string) ([]byte, error) {
	y := written{
		ID: m.ID, Model: m.Kind.Name, Title: m.Title, Page: m.Page,
		Options: m.node.Get("options"), Origin: m.node.Get("origin"), Records: m.node.Get("records"),
		Variants: m.node.Get("variants"), Search: m.node.Get("search"),
	}
	done := map[Place]bool{} // places whose tuned override is written, or replaced
	for _, f := range found {
		done[f.At] = true
	}
	for i, from := range []Model{m, old} {
		items := from.node.Get("overrides").Items()
		for k, o := range from.overrides {
			tuned := o.isTuned()
			if tuned && done[o.Match] || !tuned && i > 0 {
				continue
			}
			done[o.Match] = done[o.Match] || tuned
			y.Overrides = append(y.Overrides, items[k])
		}
	}
	for _, f := range found {
		point, err := m.point(f.At.Task, f.Values, f.Record)
		if err != nil {
			return nil, err
		}
		point.Origin, point.Records = map[string]Origin{}, map[string]string{}
		for path, p := range point.from {
			point.Origin[path] = p.Origin
			if p.Record != "" {
				point.Records[path] = p.Record
			}
		}
		y.Overrides = append(y.Overrides, override{f.At, point})
	}
	text, err := strictyaml.Encode(y, nil)
	return []byte("# " + strings.ReplaceAll(about, "\n", "\n# ") + "\n" + string(text)), err
}

// recordedFor returns the overrides that the project's searches found for a model.
func recordedFor(id string) ([]override, error) {
	name := "tuned/specs/" + id + ".yaml"
	data, err := recorded.Tuned.ReadFile(name)
	if err != nil {
		return nil, nil // none was searched
	}
	n, err := strictyaml.Parse("results/recorded/"+name, data)
	if err != nil {
		return nil, err
	}
	m, err := newModel(n)
	return lists.Filter(m.overrides, override.isTuned), err
}

// isTuned reports whether the override is a search's: none is the spec's own choice.
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
