package results

import (
	"fmt"
	"math"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// settingWords name the settings of link prediction.
var settingWords = map[protocol.Setting]string{"T": "transductive", "I": "inductive"}

// addDiagrams adds, for every set of candidates, the learned models of a setting on
// the axis of their average rank; of their values, where these are of one dataset.
// There is nothing to tell of less than three.
func (s *scores) addDiagrams(rows []table.Row, setting protocol.Setting) {
	const fewest = 3
	var sets []protocol.CandidateSet
	for _, d := range s.Datasets {
		sets = appendNew(sets, d.Candidates)
	}
	for _, set := range sets {
		columns := s.headlineColumns(rows, set)
		if len(columns) == 0 {
			continue
		}
		heads := lists.Map(columns, func(c measuredColumn) DatasetHead { return c.dataset })
		r := figure.Ranks{Lower: true}
		of := heads[0].ID
		if n := len(lists.Unique(heads, func(d DatasetHead) string { return d.ID })); n > 1 {
			of = fmt.Sprintf("%d datasets", n)
		} else {
			r.Group = of
		}
		r.Title = strings.Join(lists.NonEmpty(taskTitles[s.task], of, settingWords[setting], heads[0].opponents()), ", ")
		metric := s.metrics[0]
		r.X.Label = fmt.Sprintf("average rank by %s over %s; 1 is the best", metric.Title, shortList(lists.Map(heads, func(d DatasetHead) string { return d.Title })))
		if len(heads) == 1 {
			r.Lower = !metric.HigherIsBetter
			lead := heads[0]
			lead.Candidates = s.Datasets[0].Candidates // its footnotes are there
			r.Title = strings.Join(lists.NonEmpty(s.panelTitle(lead), settingWords[setting], heads[0].opponents()), ", ")
			r.X.Label = fmt.Sprintf("%s (%s), mean over seeds", metric.Title, heads[0].unit())
		}
		var cells [][]*Cell // of each model, by dataset
		for m, average := range s.averageRanks(rows, columns) {
			if !average.Present() {
				continue
			}
			at := scoreRow{setting, s.learned()[m]}
			one := figure.Ranked{Name: at.model.Title, Value: float64(average), Printed: fmt.Sprintf("%.1f", average)}
			if len(heads) == 1 {
				one.Value = float64(rows[m][columns[0].index].Value.Mean)
				one.Printed = fmt.Sprintf("%.1f", one.Value)
			}
			r.Ranked = append(r.Ranked, one)
			cells = append(cells, lists.Map(heads, func(d DatasetHead) *Cell { return s.cell(d, at) }))
		}
		if len(heads) > 1 {
			r.X.Min, r.X.Max, r.X.Scale = 1, float64(len(r.Ranked)), figure.Whole
			for _, one := range r.Ranked { // models that are not drawn may be better
				r.X.Max = max(r.X.Max, math.Ceil(one.Value))
			}
		}
		r.Joined = func(i, j int) bool { return s.level(heads, metric.Name, cells[i], cells[j]) }
		if len(r.Ranked) >= fewest {
			s.diagrams = append(s.diagrams, r)
		}
	}
}

// opponents says what events are ranked against; nothing in node classification.
func (d DatasetHead) opponents() string {
	if d.Candidates == "" {
		return ""
	}
	return "against " + candidates[d.Candidates].words
}

// level reports whether two models, by their cells on datasets, were compared on each
// and are told apart on none.
func (s *scores) level(on []DatasetHead, metric string, a, b []*Cell) bool {
	for i, d := range on {
		if a[i] == nil || b[i] == nil {
			return false
		}
		c, ok := comparisonOf(s.comparisons, d.Candidates, metric, a[i], b[i])
		if !ok || !c.Adjusted.Present() || c.Significant() {
			return false
		}
	}
	return true
}

const rankWidth = 18.0 // centimetres

// critical draws the diagrams, if there are any.
func (s *scores) critical() ([]figure.Figure, error) {
	if len(s.diagrams) == 0 {
		return nil, nil
	}
	f, err := figure.DrawRanks(rankWidth, s.diagrams)
	f.Name, f.Table, f.Title = s.Name+"-ranks", s.Name, "Critical differences: "+s.Title
	f.Caption = "Learned models that have a value on every dataset. A thick line joins models that follow each other on the axis and of which no pair is told apart " +
		"on any of the datasets (the same test events, Holm over all pairs); models with a single seed are not compared. Made by: " + s.Command
	return []figure.Figure{f}, err
}
