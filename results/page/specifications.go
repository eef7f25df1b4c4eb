package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// specifications lists the resolved spec of every cell, with the origin of
// each option.
func specifications(p Page) (section, error) {
	s := section{
		ID: "specs", Title: "Specifications",
		Intro: "Everything that was set when a model was measured, as its records have it. Seeds of a model differ in nothing else.",
	}
	for _, cells := range lists.GroupBy(p.cells(), seeds.place) {
		place := cells[0].place()
		here := part{ID: "specs-" + placeID(place), Title: placeTitle(place), Note: results.Count(len(cells), "model"), Dataset: place.Dataset, Open: true}
		for _, c := range cells {
			t, err := c.specification()
			if err != nil {
				return s, err
			}
			here.Folded = append(here.Folded, folded{c.heading(), c.title(), []table.Table{t}})
		}
		s.Parts = append(s.Parts, here)
	}
	return s, nil
}

func (s seeds) specification() (table.Table, error) {
	set, err := s.settings()
	if err != nil {
		return table.Table{}, err
	}
	origins, err := s.records[0].OptionOrigins()
	if err != nil {
		return table.Table{}, err
	}
	t := table.New("option", "value", "origin", "from")
	t.Name, t.Title = "spec-"+s.id(), s.heading()+" on "+placeTitle(s.key())
	t.Legend = []string{"seeds: " + s.numbers(), results.Count(s.records[0].NumParams, "learned parameter")}
	t.NextBlock()
	for _, path := range slices.Sorted(maps.Keys(set)) {
		origin, from := "", ""
		option, isOption := strings.CutPrefix(path, "options.")
		if o, ok := origins[option]; ok && isOption {
			origin, from = o.Origin, fmt.Sprintf("%s:%d", o.File, o.Line)
		}
		t.Add(path, set[path], origin, from)
	}
	return t, nil
}

// settings returns what the spec of the cell sets, by dotted path, without the
// seed.
func (s seeds) settings() (map[string]string, error) {
	out, err := record.Leaves(s.records[0].Spec)
	if err != nil {
		return nil, fmt.Errorf("spec of %s: %w", s.key(), err)
	}
	maps.DeleteFunc(out, func(path, value string) bool { return path == "seed" || value == "{}" })
	return out, nil
}
