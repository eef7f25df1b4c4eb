package results

import (
	"slices"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/table"
)

// published is the paper's value beside ours. Variants are not the paper's.
func published(d DatasetHead, task protocol.Task, setting protocol.Setting, m ModelHead, metric metrics.Metric) table.Entry {
	name := metric.Name
	if d.Against != "" {
		name += "_over_" + d.Against
	}
	e := paperEntry(task, setting, m, d.PaperName, name, 1)
	if e.Value != nil {
		e.Value.Signed = d.Against != ""
	}
	return e
}

// paperEntry is a value of paper.yaml, or nothing.
func paperEntry(task protocol.Task, setting protocol.Setting, m ModelHead, dataset, metric string, decimals int) table.Entry {
	ref, ok := Paper(task, setting, m.ID, dataset, metric)
	if !ok || m.Variant != "" {
		return table.Entry{}
	}
	return table.Entry{Value: &table.Value{
		Mean: optional.Number(ref.Mean), Std: ref.Std, Low: optional.Absent(), High: optional.Absent(), Decimals: decimals,
		Approximate: defined().approximate(task, m.ID, dataset, metric),
	}}
}

// paperRank is the average rank that the paper gives.
func (b *builder) paperRank(setting protocol.Setting, m ModelHead) table.Entry {
	return paperEntry(b.task, setting, m, "average", b.rank, 1)
}

// hasPaperRank reports whether there is an average rank beside values of the
// paper.
func (b *builder) hasPaperRank() bool {
	beside := slices.ContainsFunc(b.columns, func(c table.Column) bool { return c.Kind == table.Published })
	for _, setting := range b.Settings {
		for _, m := range b.Models {
			if beside && b.paperRank(setting, m).Value != nil {
				return true
			}
		}
	}
	return false
}

// hasPaper reports whether the paper's column would have an entry.
func (b *builder) hasPaper(d DatasetHead, metric metrics.Metric) bool {
	for _, setting := range b.Settings {
		for _, m := range b.Models {
			if b.besidePaper(d, setting, m, metric) {
				return true
			}
		}
	}
	return false
}
