package results

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// trainingTable returns how fast models are trained: models x places of training.
func trainingTable(r request) (Output, error) {
	t := grid[ModelHead]{Table: r.table()}
	t.Among = learnedModels
	t.add(table.Column{Head: "model"}, func(m ModelHead) table.Entry { return table.Entry{Text: m.Title} })
	var models []ModelHead
	var threads []int
	for _, of := range []struct {
		task protocol.Task
		Layout
	}{{protocol.LinkPrediction, r.layout(r.Links)}, {protocol.NodeClassification, r.layout(r.Classification)}} {
		for _, d := range of.withoutDifferences().Datasets {
			if d.Further { // one training serves all sizes of evaluation batches
				continue
			}
			for _, setting := range of.Settings {
				rates := map[ModelHead]*table.Value{}
				var notes [][]string
				for _, c := range r.cellsAt(d, of.task, setting) {
					i := slices.IndexFunc(of.Models, func(m ModelHead) bool { return m.ID == c.Model && m.Variant == c.Variant })
					if v := trainingRate(c.records); i >= 0 && v != nil {
						rates[of.Models[i]], threads = v, appendNew(threads, c.records[0].Threads)
						notes = append(notes, c.Notes)
					}
				}
				if len(rates) == 0 {
					continue
				}
				for _, m := range of.Models {
					if rates[m] != nil {
						models = appendNew(models, m)
					}
				}
				head := table.Column{
					Kind: table.Measured, Group: d.Title, Metric: "thousand events/s",
					Head: strings.TrimSpace(string(of.task) + " " + string(setting)), Notes: t.Note(inAll(notes)...),
				}
				t.add(head, func(m ModelHead) table.Entry { return table.Entry{Value: rates[m]} })
			}
		}
	}
	if len(models) == 0 {
		return Output{}, nil
	}
	t.addClasses(models, func(m ModelHead) protocol.Class { return m.Class }, func(rows []table.Row) {
		for column := range t.Columns[1:] {
			table.MarkBest(rows, 1+column, true)
		}
	})
	slices.Sort(threads)
	t.Legend = []string{
		"thousand events of the training part a second, in training alone: the validation after each epoch is left out",
		"±: standard deviation over seeds (n-1), each by its median epoch",
		"threads of a trial: " + strings.Trim(fmt.Sprint(threads), "[]") + "; trials side by side slow each other down (--workers 1)",
		noValueLegend,
	}
	return Output{Tables: []table.Table{t.Table}}, nil
}

// trainingRate returns thousands of events a second over seeds, nil where no record has times.
func trainingRate(seeds []record.Record) *table.Value {
	var rates []float64
	for _, r := range seeds {
		var seconds []float64
		for _, e := range r.Epochs {
			if e.Training > 0 {
				seconds = append(seconds, e.Training)
			}
		}
		if len(seconds) > 0 && r.Data != nil && len(r.Data.Parts) > 0 {
			slices.Sort(seconds)
			rates = append(rates, float64(r.Data.Parts[0].Events)/stat.Quantile(.5, stat.Empirical, seconds, nil)/1e3)
		}
	}
	if len(rates) == 0 {
		return nil
	}
	v := table.NewValue(stat.Mean(rates, nil), 1)
	if len(rates) >= fewestForStd {
		v.Std = optional.Number(stat.StdDev(rates, nil))
	}
	return v
}
