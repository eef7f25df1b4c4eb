package results

import (
	"slices"

	"dgsbench/internal/lists"
	"dgsbench/results/figure"
)

// delayOutput has the AUC on datasets that differ by how far back labels look: a row
// a model, a column a dataset, and a figure against the delay.
func delayOutput(r request) (Output, error) {
	r.Classification.Datasets = slices.DeleteFunc(slices.Clone(r.Classification.Datasets), func(d DatasetHead) bool { return d.Delay == 0 })
	if len(r.Classification.Datasets) == 0 {
		return Output{}, nil
	}
	s, err := newCurves(r, []string{"auc"})
	if err != nil || s.empty() {
		return Output{}, err
	}
	var panels []figure.Panel
	for _, series := range lists.GroupBy(s.Datasets, func(d DatasetHead) string { return d.Case }) {
		if p := s.delayPanel(series); len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	return s.withFigure(s.build(), pageWidth, panels, "AUC against the events of its node that a label looks back; with 95% intervals over test events, which leave out the deviation over seeds")
}

// delayPanel draws a line a model; none where the datasets of a case have one delay.
func (s *scores) delayPanel(series []DatasetHead) figure.Panel {
	p := figure.Panel{
		Group: series[0].Case, Title: "Simulated",
		X: figure.Axis{Label: "delay, events of a node"}, Y: figure.Axis{Label: "AUC (%)"},
	}
	for _, at := range s.all("") {
		if line, ok := s.along(series, at, func(d DatasetHead) int { return d.Delay }); ok && len(line.Points) > 1 {
			p.Series = append(p.Series, line)
		}
	}
	return p
}
