package results

import (
	"slices"

	"dgsbench/metrics"
)

// addRanks fills in the average rank by the task's headline metric over the
// datasets on which any of the models has a value. A model without a value
// on one of them has none.
func (b *builder) addRanks(rows []TableRow) {
	sums := make([]float64, len(rows))
	missing := make([]bool, len(rows))
	headline, datasets := b.metrics[0], 0
	for c, column := range b.columns {
		if !column.measures(headline) {
			continue
		}
		var values []float64
		var who, without []int
		for i, row := range rows {
			if row[c].Value == nil {
				without = append(without, i)
				continue
			}
			values, who = append(values, row[c].Value.printed()), append(who, i)
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
	at := slices.IndexFunc(b.columns, func(c Column) bool { return c.Kind == Ranks })
	for i, row := range rows {
		if datasets > 0 && !missing[i] {
			row[at].Value = &Value{
				Mean: Number(sums[i] / float64(datasets)), Std: Absent(), Low: Absent(), High: Absent(), Decimals: 1,
			}
		}
	}
}

// markPlaces marks the best and the second of each column.
func (b *builder) markPlaces(rows []TableRow) {
	for c, column := range b.columns {
		for _, m := range b.metrics {
			if column.measures(m) {
				mark(rows, c, m.HigherIsBetter)
			}
		}
		if column.Kind == Ranks {
			mark(rows, c, false)
		}
	}
}

// mark places the values of one column.
func mark(rows []TableRow, column int, higherIsBetter bool) {
	var ranked []*Entry
	var values []float64
	for _, row := range rows {
		if e := &row[column]; e.Value != nil {
			ranked, values = append(ranked, e), append(values, e.Value.printed())
		}
	}
	for i, place := range places(values, higherIsBetter) {
		ranked[i].Place = place
	}
}

// measures reports whether a column holds our values of the metric.
func (c Column) measures(m metrics.Metric) bool {
	return c.Kind == Measured && c.Metric == m.Title
}
