package results

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"dgsbench/internal/optional"
	"dgsbench/internal/strictyaml"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/table"
)

//go:embed reference/tgb.yaml
var tgbYAML []byte

const board = "tgbl-wiki-v2" // of which the leaderboard is

// leaderboard is the file tgb.yaml: what others give for the same events.
type leaderboard struct {
	Datasets      []string  `yaml:"datasets"`
	Learned       []entrant `yaml:"learned"`
	ZeroParameter []entrant `yaml:"zero-parameter"`
}

// entrant is a method on the leaderboard.
type entrant struct {
	Method string    `yaml:"method"`
	Model  string    `yaml:"model"` // ours that is the same; empty for none
	MRR    []float64 `yaml:"mrr"`   // mean, standard deviation (if given)
	Batch  string    `yaml:"batch"` // in which it was evaluated; empty if that is not known
	Date   string    `yaml:"date"`
	Source string    `yaml:"source"` // a footnote; may be empty
}

var tgb = sync.OnceValue(func() (l leaderboard) {
	err := strictyaml.Unmarshal("reference/tgb.yaml", tgbYAML, &l)
	return must(l, err)
})

// entry returns the published value.
func (v entrant) entry(t *table.Table) table.Entry {
	if v.Method == "" {
		return table.Entry{}
	}
	value := table.NewValue(v.MRR[0], 1)
	if len(v.MRR) > 1 {
		value.Std = optional.Number(v.MRR[1])
	}
	return table.Entry{Value: value, Notes: t.Note(v.Source)}
}

// leaderboardTable returns our test MRR on the events of the leaderboard beside
// what that gives, a row for each of its methods and for each of ours. In each
// block the published ones come first, the best at the top.
func leaderboardTable(r request) (Output, error) {
	l := r.layout(r.Links)
	l.Datasets = slices.DeleteFunc(l.Datasets, func(d DatasetHead) bool { return !slices.Contains(tgb().Datasets, d.ID) })
	if len(l.Datasets) == 0 || !slices.Contains(l.Candidates, protocol.Destinations) || !slices.Contains(l.Settings, protocol.Transductive) {
		return Output{}, nil
	}
	s, err := newScores(r, l, protocol.LinkPrediction, "mrr")
	if err != nil {
		return Output{}, err
	}
	type line struct {
		scoreRow // of ours, if there is one
		entrant
	}
	t := grid[line]{Table: s.Table}
	t.Among = learnedModels
	mrr, err := metrics.Lookup("mrr")
	if err != nil {
		return Output{}, err
	}
	t.add(table.Column{Head: "model"}, func(x line) table.Entry {
		if x.model.ID == "" {
			return table.Entry{Text: x.Method}
		}
		return table.Entry{Text: x.model.Title, Notes: s.Note(classNotes[x.model.Class])}
	})
	var measured []int
	for _, d := range s.Datasets {
		d.Candidates = protocol.Destinations
		measured = append(measured, len(t.Columns))
		t.add(table.Column{Kind: table.Measured, Group: d.Title, Metric: mrr.Title, Head: mrr.Title + " %", Notes: s.Note(s.sharedNotes(d)...)}, func(x line) table.Entry {
			return s.measured(d, x.scoreRow, mrr, true)
		})
	}
	t.add(table.Column{Kind: table.Published, Group: board, Metric: mrr.Title, Head: "published %"}, func(x line) table.Entry { return x.entry(&s.Table) })
	batches := s.Note("evaluation batches differ between the published values: 200 events that know nothing of each other, or 1 where a method's published code " +
		"lets every event know all of earlier times; compare with evaluation-200 and evaluation-1")
	t.add(table.Column{Group: board, Head: "batch", Notes: batches}, func(x line) table.Entry { return text(x.Batch) })
	t.add(table.Column{Group: board, Head: "date"}, func(x line) table.Entry { return text(x.Date) })
	for _, block := range []struct {
		class    protocol.Class
		entrants []entrant
	}{{protocol.Learned, tgb().Learned}, {protocol.ZeroParameter, tgb().ZeroParameter}} {
		ours := slices.DeleteFunc(slices.Clone(s.Models), func(m ModelHead) bool { return m.Class != block.class })
		var lines []line
		for _, v := range block.entrants {
			x := line{entrant: v}
			if i := slices.IndexFunc(ours, func(m ModelHead) bool { return m.ref() == v.Model }); i >= 0 {
				x.scoreRow = scoreRow{protocol.Transductive, ours[i]}
				ours = slices.Delete(ours, i, i+1)
			}
			lines = append(lines, x)
		}
		for _, m := range ours {
			lines = append(lines, line{scoreRow: scoreRow{protocol.Transductive, m}})
		}
		rows := t.rows(lines)
		if block.class == protocol.Learned {
			for _, c := range measured {
				table.MarkBest(rows, c, true)
			}
		}
		t.Blocks = append(t.Blocks, rows)
	}
	t.Notes, t.KeyNotes = s.Notes, s.KeyNotes
	t.Legend = []string{
		"published: as the leaderboard prints it, ± over its runs",
		"±: standard deviation over seeds (n-1)",
		fmt.Sprintf("[low, high]: 95%% interval, events resampled %d times", metrics.NumDraws),
		noValueLegend,
	}
	return Output{Tables: []table.Table{t.Table}}, nil
}
