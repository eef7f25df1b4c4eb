package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"dgsbench/results/table"
)

// specifications lists the resolved spec of every cell, with the origin of
// each option.
func specifications(p Page) (section, error) {
	s := section{
		ID: "specs", Title: "Specifications",
		Intro: "Everything that was set when a model was measured, as its records have it. Seeds of a model differ in nothing else.",
	}
	for _, cells := range p.byPlace() {
		at := cells[0].place()
		here := part{ID: "specs-" + at.id(), Title: at.String()}
		for _, c := range cells {
			t, err := c.specification(p)
			if err != nil {
				return s, err
			}
			table, err := render(t)
			if err != nil {
				return s, err
			}
			here.Folded = append(here.Folded, folded{c.heading(p), []template.HTML{table}})
		}
		s.Parts = append(s.Parts, here)
	}
	return s, nil
}

func (c cell) specification(p Page) (table.Table, error) {
	set, err := c.settings()
	if err != nil {
		return table.Table{}, err
	}
	var origins map[string]struct {
		File, Origin string
		Line         int
	}
	if raw := c.records[0].Origins; len(raw) > 0 {
		if err := json.Unmarshal(raw, &origins); err != nil {
			return table.Table{}, fmt.Errorf("origins of %s: %w", c.key, err)
		}
	}
	t := table.Table{
		Name: "spec-" + c.id(), Title: c.heading(p) + " on " + c.place().String(),
		Columns: columns("option", "value", "origin", "from"), Blocks: make([][]table.Row, 1),
		Legend: []string{"seeds: " + c.seeds(), count(c.records[0].NumParams, "learned parameter")},
	}
	for _, path := range slices.Sorted(maps.Keys(set)) {
		row := words(path, set[path], "", "")
		option, _ := strings.CutPrefix(path, "options.")
		if o, ok := origins[option]; ok && option != path {
			row[2].Text, row[3].Text = o.Origin, fmt.Sprintf("%s:%d", o.File, o.Line)
		}
		t.Blocks[0] = append(t.Blocks[0], row)
	}
	return t, nil
}

// settings are what the spec of the cell sets, by dotted path, without the
// seed.
func (c cell) settings() (map[string]string, error) {
	out := map[string]string{}
	if err := flatten("", c.records[0].Spec, out); err != nil {
		return nil, fmt.Errorf("spec of %s: %w", c.key, err)
	}
	delete(out, "seed")
	return out, nil
}

// flatten puts the leaves of a JSON object into out, under their dotted
// paths. Lists are leaves.
func flatten(path string, raw json.RawMessage, out map[string]string) error {
	if raw[0] != '{' {
		var text bytes.Buffer
		if err := json.Compact(&text, raw); err != nil {
			return err
		}
		out[path] = text.String()
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return err
	}
	if path != "" {
		path += "."
	}
	for key, value := range object {
		if err := flatten(path+key, value, out); err != nil {
			return err
		}
	}
	return nil
}
