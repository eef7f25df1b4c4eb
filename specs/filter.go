package specs

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"dgsbench/internal/suggest"
	"dgsbench/protocol"
)

// MostSeeds is how many seeds a suite has at most.
const MostSeeds = 1000

// Filter narrows a suite down. An empty list lets everything through.
type Filter struct {
	Models   []string // ids, for all variants, or id+variant
	Datasets []string
	Tasks    []string
	// Seeds is the number of seeds in place of the suite's; 0 keeps it.
	Seeds int
	// FirstSeed is the lowest seed: fresh ones show what chance does.
	FirstSeed uint64
}

// Trials lists what the suite measures, in its order, a cell's seeds side by
// side: n from FirstSeed on, and 0 alone where there is nothing to learn. A
// filter's word that fits nothing in the suite is an error.
func (s Suite) Trials(f Filter) ([]Trial, error) {
	if f.Seeds < 0 || f.Seeds > MostSeeds {
		return nil, fmt.Errorf("expected 1 to %d seeds, found %d", MostSeeds, f.Seeds)
	}
	if most := uint64(math.MaxUint64 - MostSeeds); f.FirstSeed > most {
		return nil, fmt.Errorf("expected a first seed of %d at most, found %d", most, f.FirstSeed)
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
		first, n := uint64(0), 1
		if cell.Class == protocol.Learned && !cell.IsLatency() {
			first, n = f.FirstSeed, seeds
		}
		for i := range n {
			t := cell
			t.Seed = first + uint64(i)
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
		known, wanted := map[string]bool{}, setOf(by.words)
		for _, cell := range s.cells {
			for _, name := range by.names(cell) {
				known[name] = true
			}
		}
		for _, w := range by.words {
			if !known[w] {
				return nil, s.unknown(by.what, w, slices.Sorted(maps.Keys(known)))
			}
		}
		keep = slices.DeleteFunc(slices.Clone(keep), func(t Trial) bool {
			return !slices.ContainsFunc(by.names(t), func(name string) bool { return wanted[name] })
		})
	}
	return keep, nil
}

func (s Suite) unknown(what, word string, known []string) error {
	return fmt.Errorf("suite %q has no %s %q%s", s.Name, what, word, suggest.Hint(word, known))
}
