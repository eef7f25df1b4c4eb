package specs

import (
	"fmt"
	"slices"

	"dgsbench/internal/suggest"
	"dgsbench/models"
)

// Filter narrows a suite down. An empty list lets everything through.
type Filter struct {
	Models   []string // ids, for all variants, or id+variant
	Datasets []string
	Tasks    []string
	// Seeds is the number of seeds in place of the suite's; 0 keeps it.
	Seeds int
}

// Trials lists what the suite measures, in its order, a cell's seeds side by
// side: 0 .. n-1. A filter's word that fits nothing in the suite is an
// error.
func (s Suite) Trials(f Filter) ([]Trial, error) {
	if f.Seeds < 0 {
		return nil, fmt.Errorf("expected a number of seeds of 1 or more, found %d", f.Seeds)
	}
	cells, err := s.filtered(f)
	if err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("nothing in suite %q fits all of the models, datasets and tasks asked for", s.Name)
	}
	seeds := s.Seeds
	if f.Seeds > 0 {
		seeds = f.Seeds
	}
	var trials []Trial
	for _, cell := range cells {
		n := 1
		if cell.Class == models.Learned {
			n = seeds
		}
		for seed := range n {
			t := cell
			t.Seed = uint64(seed)
			trials = append(trials, t)
		}
	}
	return trials, nil
}

func (s Suite) filtered(f Filter) ([]Trial, error) {
	keep := s.cells
	for _, by := range []struct {
		what  string
		words []string
		names func(Trial) []string // the words that fit a cell
	}{
		{"model", f.Models, func(t Trial) []string { return []string{t.ModelID, t.Ref()} }},
		{"dataset", f.Datasets, func(t Trial) []string { return []string{t.Dataset} }},
		{"task", f.Tasks, func(t Trial) []string { return []string{string(t.Task)} }},
	} {
		if len(by.words) == 0 {
			continue
		}
		var known []string
		for _, cell := range s.cells {
			known = append(known, by.names(cell)...)
		}
		for _, w := range by.words {
			if !slices.Contains(known, w) {
				return nil, s.unknown(by.what, w, known)
			}
		}
		keep = slices.DeleteFunc(slices.Clone(keep), func(t Trial) bool {
			fits := func(name string) bool { return slices.Contains(by.words, name) }
			return !slices.ContainsFunc(by.names(t), fits)
		})
	}
	return keep, nil
}

func (s Suite) unknown(what, word string, known []string) error {
	slices.Sort(known)
	known = slices.Compact(known)
	return fmt.Errorf("suite %q has no %s %q%s", s.Name, what, word, suggest.Hint(word, known))
}
