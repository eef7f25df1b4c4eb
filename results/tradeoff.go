package results

import "dgsbench/metrics"

// tradeOff is the table and the figure of AUC against the time of the latency
// test: of every dataset for which there are both, here or in the paper.
func tradeOff(in Input, r request) (Output, error) {
	l := r.layout(in.Classification)
	l.Datasets = withoutDifferences(l.Datasets)
	auc, err := metrics.Lookup("auc")
	if err != nil || len(l.Models) == 0 {
		return Output{}, err
	}
	at, err := index(in.Cells, metrics.NodeClassification)
	if err != nil {
		return Output{}, err
	}
	b := tradeOffBuilder{in: in, auc: auc, cells: at, layout: l}
	if err := b.read(); err != nil || len(b.panels) == 0 {
		return Output{}, err
	}
	t := b.table(newTable(l, r))
	f, err := drawPanels(b.panels)
	f.Name, f.Title = t.Name, t.Title
	f.Caption = "AUC against the seconds of the latency test, with the deviations of both. Filled: measured here; hollow: the paper's " +
		"numbers (RTX 2080 Ti), where it gives them. Made by: " + l.Command
	return Output{Tables: []Table{t}, Figures: []Figure{f}}, err
}

// tradeOffBuilder gathers what is known of models on datasets.
type tradeOffBuilder struct {
	in     Input
	auc    metrics.Metric
	cells  map[place]*Cell
	layout Layout
	notes  notes
	panels []panel
	rows   map[ModelHead][]Entry // four entries a panel
}

// read fills the panels, and leaves out datasets without a point.
func (b *tradeOffBuilder) read() error {
	b.rows = map[ModelHead][]Entry{}
	for _, d := range b.layout.Datasets {
		p := panel{dataset: d}
		row := map[ModelHead][]Entry{}
		for i, m := range b.layout.Models {
			entries, err := b.entries(d, m)
			if err != nil {
				return err
			}
			row[m] = entries
			p.add(i, m.Title, entries[0].Value, entries[2].Value, false)
			p.add(i, m.Title, entries[1].Value, entries[3].Value, true)
		}
		if len(p.points) == 0 {
			continue
		}
		b.panels = append(b.panels, p)
		for m, entries := range row {
			b.rows[m] = append(b.rows[m], entries...)
		}
	}
	return nil
}

// entries are AUC and time, each ours and the paper's.
func (b *tradeOffBuilder) entries(d DatasetHead, m ModelHead) ([]Entry, error) {
	out := make([]Entry, 4)
	if c := b.cells[place{d.ID, d.Case, "", m.ID, m.Variant}]; c != nil {
		for _, row := range c.Rows {
			if row.Split == Test && row.Metric == b.auc.Name && row.Mean.Present() {
				out[0].Value = percent(row)
			}
		}
	}
	if record, ok := b.in.timed(d, m); ok {
		t, err := b.in.headline(record)
		if err != nil {
			return nil, err
		}
		out[2].Value = seconds(t)
	}
	if d.PaperName != "" {
		out[1] = paperEntry(metrics.NodeClassification, "", m, d.PaperName, b.auc.Name, 1)
		out[3] = paperTime(m, d.PaperName, &b.notes)
	}
	return out, nil
}

// table has the models of which some time is known.
func (b *tradeOffBuilder) table(t Table) Table {
	t.Columns = []Column{{Head: "model"}}
	var shown []bool // of every entry of a row
	for _, p := range b.panels {
		group, about := p.dataset.Title, []int(nil)
		if p.dataset.PaperOnly {
			about = b.notes.refer(unmeasuredNote(p.dataset))
		}
		columns := []Column{
			{Kind: Measured, Group: group, Metric: b.auc.Title, Head: b.auc.Title + " %", Notes: about},
			{Kind: Published, Group: group, Metric: b.auc.Title, Head: paperHead + " %"},
			{Kind: Measured, Group: group, Metric: "seconds", Head: "seconds"},
			{Kind: Published, Group: group, Metric: "seconds", Head: paperHead + " s"},
		}
		for _, c := range columns {
			shown = append(shown, c.Kind == Measured || p.dataset.PaperName != "")
			if shown[len(shown)-1] {
				t.Columns = append(t.Columns, c)
			}
		}
	}
	var rows []TableRow
	for _, m := range b.layout.Models {
		if row := b.row(m, shown); row != nil {
			rows = append(rows, row)
		}
	}
	t.Blocks, t.Notes = [][]TableRow{rows}, b.notes.texts
	t.Legend = []string{
		"seconds: of the latency test, ± over its iterations", "drawn in " + t.Name + ".svg and .png, beside the records of the suite",
		noValue + ": no value",
	}
	return t
}

// row is nil for a model of which no time is known.
func (b *tradeOffBuilder) row(m ModelHead, shown []bool) TableRow {
	row := TableRow{{Text: m.Title}}
	known := false
	for i, e := range b.rows[m] {
		if shown[i] {
			row = append(row, e)
		}
		time := i%4 >= 2
		known = known || time && (e.Value != nil || len(e.Notes) > 0)
	}
	if !known {
		return nil
	}
	return row
}
