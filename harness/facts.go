package harness

import (
	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/results/record"
)

// dataOf is what a record says of the events it was measured on.
func dataOf(l *datasets.Loaded) *record.Data {
	s := l.Stream
	counts := s.Counts()
	d := &record.Data{
		Nodes: counts.Nodes, Users: counts.Users, Events: counts.Events, Features: counts.Features, Positives: counts.Positives,
	}
	for _, label := range s.Label {
		if label != datasets.Unlabelled {
			d.Labelled++
		}
	}
	if s.Len() > 0 {
		d.Duration = s.Time[s.Len()-1] - s.Time[0]
	}
	ends := []int{0, l.Split.TrainEnd, l.Split.ValEnd, s.Len()}
	for i, end := range ends[1:] {
		part := s.Slice(ends[i], end)
		d.Parts = append(d.Parts, record.DataPart{Events: part.Len(), Positives: part.Counts().Positives})
	}
	return d
}

// DescribeModel fills in what a record says of the model itself.
func DescribeModel(rec *record.Record, m models.Model) {
	rec.NumParams = m.NumParams()
	factual, ok := m.(models.Factual)
	if !ok {
		return
	}
	facts := factual.Facts()
	rec.StateSize, rec.Forgetting = facts.State, facts.Forgetting
	for _, p := range facts.Parameters {
		rec.Parameters = append(rec.Parameters, record.ParameterPart{Part: p.Part, Count: p.Params, Head: p.Part == models.HeadPart})
	}
}
