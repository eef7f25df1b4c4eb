package results

import (
	"slices"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/results/table"
)

// addRanks fills in the average rank by the task's headline metric over the
// datasets on which any of the models has a value that is ranked. A model
// without one on one of them has none.
func (b *builder) addRanks(rows []table.Row) {
	sums := make([]float64, len(rows))
	missing := make([]bool, len(rows))
	headline, datasets := b.metrics[0], 0
	for c, d := range b.headlines() {
		if !b.leads(d) {
			continue
		}
		var values []float64
		var who, without []int
		for i, row := range rows {
			if !row[c].Ranked() {
				without = append(without, i)
				continue
			}
			values, who = append(values, row[c].Value.Printed()), append(who, i)
		}
		if len(who) == 0 {
			continue
		}
		datasets++
		for _, i := range without {
			missing[i] = true
		}
		for k, rank := range ranks(values, headline.HigherIsBetter) {
			sums[who[k]] += rank
		}
	}
	at := slices.IndexFunc(b.columns, func(c table.Column) bool { return c.Kind == table.Ranks })
	for i, row := range rows {
		if datasets > 0 && !missing[i] {
			row[at].Value = &table.Value{
				Mean: optional.Number(sums[i] / float64(datasets)), Std: optional.Absent(), Low: optional.Absent(), High: optional.Absent(), Decimals: 1,
			}
		}
	}
}

// markPlaces marks the best and the second of each column.
func (b *builder) markPlaces(rows []table.Row) {
	for c, column := range b.columns {
		for _, m := range b.metrics {
			if measures(column, m) {
				table.MarkBest(rows, c, m.HigherIsBetter)
			}
		}
		if column.Kind == table.Ranks {
			table.MarkBest(rows, c, false)
		}
	}
}

// measures reports whether a column holds our values of the metric.
func measures(c table.Column, m metrics.Metric) bool {
	return c.Kind == table.Measured && c.Metric == m.Title
}

// ranks gives each value its rank, 1 for the best; equal values share the
// average of their ranks.
func ranks(values []float64, higherIsBetter bool) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		var better, level int32
		for j, other := range values {
			switch {
			case i == j:
			case other == v:
				level++
			case (other > v) == higherIsBetter:
				better++
			}
		}
		out[i] = metrics.Rank(better, level)
	}
	return out
}
