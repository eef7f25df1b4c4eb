package results

import (
	"fmt"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/results/table"
)

// markLevel marks what cannot be told apart from the best of its column, by
// the headline metric. rows are those of the models, in their order.
func (b *builder) markLevel(rows []table.Row, setting protocol.Setting, models []ModelHead) {
	for c, d := range b.headlines() {
		best := b.best(d, setting, models)
		for i, m := range models {
			e := &rows[i][c]
			if pair, ok := b.pair(d, best, b.cell(d, setting, m)); ok && e.Value != nil && e.Mark != table.Best {
				e.Level = !pair.ToldApart()
			}
		}
	}
}

// best is the cell with the best headline value of a column, or nil.
func (b *builder) best(d DatasetHead, setting protocol.Setting, models []ModelHead) *Cell {
	var best *Cell
	var value optional.Number
	for _, m := range models {
		c := b.cell(d, setting, m)
		r, ok := d.row(c, b.metrics[0].Name)
		if !ok || !r.Mean.Present() || r.Degenerate {
			continue
		}
		if best == nil || r.Mean != value && (r.Mean > value) == b.metrics[0].HigherIsBetter {
			best, value = c, r.Mean
		}
	}
	return best
}

// pair finds the comparison of the better cell with the other one, by what
// stands in the dataset's columns.
func (b *builder) pair(d DatasetHead, better, other *Cell) (Comparison, bool) {
	if better == nil || other == nil {
		return Comparison{}, false
	}
	for _, c := range b.comparisons {
		if c.Place() == better.CellKey.Place() && c.Candidates == d.Candidates && c.Better.is(better) && c.Other.is(other) {
			return c, true
		}
	}
	return Comparison{}, false
}

func (m Compared) is(c *Cell) bool { return m.Model == c.Model && m.Variant == c.Variant }

// Place is where the models are compared.
func (c Comparison) Place() record.CellKey {
	return record.CellKey{Suite: c.Suite, Dataset: c.Dataset, Task: c.Task, Setting: c.Setting, Case: c.Case}
}

// levelLegend explains the sign.
func (b *builder) levelLegend() string {
	return fmt.Sprintf("%s: not told apart from the best of the learned models by %s (paired over test events; p at least %.2g after Holm over all pairs of the suite's task, or a single seed)",
		table.LevelSign, b.metrics[0].Title, level)
}
