package results_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dgsbench/internal/optional"
	"dgsbench/results"
	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
)

func TestRisingValidation(t *testing.T) {
	nan := float64(optional.Absent())
	for _, c := range []struct {
		name    string
		allowed int
		seeds   [][]float64 // validation metric by epoch
		want    string      // how the footnote begins; "" for none
	}{
		{"all rising", 3, [][]float64{{.1, .2, .3}, {.2, .1, .3}}, "the validation metric still rose in the last epoch of 2 of 2 seeds"},
		{"half rising", 3, [][]float64{{.1, .2, .3}, {.1, .3, .2}}, "the validation metric still rose in the last epoch of 1 of 2 seeds"},
		{"a third rising", 3, [][]float64{{.1, .2, .3}, {.1, .3, .2}, {.3, .2, .1}}, ""},
		{"stopped early", 10, [][]float64{{.1, .2, .3}, {.1, .3, .2}}, ""},
		{"level at the end", 3, [][]float64{{.1, .3, .3}, {.3, .3, .3}}, ""},
		{"one epoch", 1, [][]float64{{.1}, {.2}}, ""},
		{"no number", 2, [][]float64{{nan, .3}, {.3, nan}}, ""},
		{"no epochs", 3, [][]float64{nil, nil}, ""},
	} {
		s := record.Store{Dir: t.TempDir()}
		for seed, validation := range c.seeds {
			r := recordtest.Trial("nc", "", "dgs", uint64(seed))
			r.Spec = json.RawMessage(fmt.Sprintf(`{"protocol": {"epochs": %d}, "seed": %d}`, c.allowed, seed))
			r.Epochs, r.BestEpoch = nil, len(validation)-1
			for _, v := range validation {
				r.Epochs = append(r.Epochs, record.Epoch{Validation: optional.Number(v)})
			}
			recordtest.Write(t, s, r, random(uint64(seed)))
		}
		table := ncTable(t, aggregate(t, s), results.Layout{
			Models: []results.ModelHead{dgsHead}, Datasets: []results.DatasetHead{mooc},
		})
		got := ""
		for _, note := range table.Notes {
			if strings.Contains(note, "validation") {
				got = note
			}
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: footnote %q, want %q", c.name, got, c.want)
		}
	}
}
