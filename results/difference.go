package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/table"
)

// difference is a model's value less that of the model that the dataset's
// values are counted from, in percentage points; nil where that one has none.
// It need not be in the table. The deviation is the model's own; the interval
// is that of the comparison of the two.
func (b *builder) difference(d DatasetHead, setting protocol.Setting, m ModelHead, r Row) *table.Value {
	from := b.cell(d, setting, ModelHead{ID: d.Against})
	base, ok := d.row(from, r.Metric)
	if !ok || !base.Mean.Present() || base.Degenerate {
		return nil
	}
	v := &table.Value{Mean: 100 * (r.Mean - base.Mean), Std: 100 * r.Std, Low: optional.Absent(), High: optional.Absent(), Decimals: 2, Signed: true}
	own := b.cell(d, setting, m)
	if own == from {
		v.Std = optional.Absent()
		return v
	}
	if c, ok := b.pair(d, own, from); ok {
		v.Low, v.High = 100*c.CILow, 100*c.CIHigh
	} else if c, ok := b.pair(d, from, own); ok {
		v.Low, v.High = -100*c.CIHigh, -100*c.CILow
	}
	return v
}

// differenceLegend explains columns of differences.
func (b *builder) differenceLegend() string {
	var from []string
	for _, d := range b.Datasets {
		if c := b.cell(d, "", ModelHead{ID: d.Against}); c != nil && !slices.Contains(from, cmp.Or(c.Title, c.Model)) {
			from = append(from, cmp.Or(c.Title, c.Model))
		}
	}
	return fmt.Sprintf("Δ: less %s on the same events; ± is the model's own, [low, high] over events and seeds (95%%, t distribution)",
		strings.Join(from, ", "))
}
