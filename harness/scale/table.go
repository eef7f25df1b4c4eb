package scale

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/optional"
	"dgsbench/kernels/devices"
	"dgsbench/protocol"
	"dgsbench/results/table"
)

// column is one of the table's, with its entry for a point.
type column struct {
	table.Column
	entry func(Point) table.Entry
}

var tableColumns = []column{
	{text("axis"), func(p Point) table.Entry { return table.Entry{Text: p.Axis} }},
	{text("value"), func(p Point) table.Entry { return table.Entry{Text: grouped(p.Value)} }},
	{
		table.Column{Kind: table.Measured, Head: "us/event"},
		func(p Point) table.Entry { return interval(p.Micros, p.Low, p.High, 3) },
	},
	{text("events/s"), func(p Point) table.Entry { return rounded(1e6/p.Micros, 0) }},
	{text("drift"), func(p Point) table.Entry { return rounded(p.Drift, 3) }},
	{text("allocs/batch"), func(p Point) table.Entry { return rounded(p.Allocs, 0) }},
	{text("model MB"), func(p Point) table.Entry { return rounded(p.Held, 1) }},
	{text("peak MB"), func(p Point) table.Entry { return rounded(p.Peak, 1) }},
	{text("nodes met"), func(p Point) table.Entry { return table.Entry{Text: grouped(strconv.Itoa(p.Met))} }},
}

func text(head string) table.Column { return table.Column{Kind: table.Text, Head: head} }

// onCard is a column of reports from a card.
var onCard = column{text("card MB"), func(p Point) table.Entry { return rounded(p.OnCard, 1) }}

func (r Report) onCard() bool { return r.Device == devices.CUDA }

// columns are those that the report has something for.
func (r Report) columns() []column {
	if r.onCard() {
		return append(slices.Clone(tableColumns), onCard)
	}
	return tableColumns
}

// Table is the report for readers: a block a sweep.
func (r Report) Table() table.Table {
	base := r.Base
	t := table.Table{
		Title: fmt.Sprintf("%s, %s: what an event costs", r.Title, r.what()), Command: r.Command,
		Legend: []string{
			fmt.Sprintf("where not said otherwise %s events of %d features among %s nodes, %d a batch, %d threads",
				grouped(strconv.Itoa(base.Events)), base.Features, grouped(strconv.Itoa(base.Nodes)), base.Batch, r.Threads),
			fmt.Sprintf("us/event: median [quartiles] over chunks of %s events, the model alone", grouped(strconv.Itoa(chunkEvents))),
			"drift: second half of the stream by the first", "model MB: live on the heap", "peak MB: the whole process", r.Machine,
		},
	}
	if r.onCard() {
		t.Legend = slices.Insert(t.Legend, len(t.Legend)-1, "card MB: the most that the model held there")
	}
	for _, c := range r.columns() {
		t.Columns = append(t.Columns, c.Column)
	}
	for i, p := range r.Points {
		if i == 0 || r.Points[i-1].Axis != p.Axis {
			t.Blocks = append(t.Blocks, nil)
		}
		last := &t.Blocks[len(t.Blocks)-1]
		*last = append(*last, r.row(p, &t))
	}
	return t
}

// what names mode and task.
func (r Report) what() string {
	task := "node classification"
	if r.Task == protocol.LinkPrediction {
		task = "link prediction"
	}
	switch r.Candidates {
	case protocol.Destinations:
		task += " against all destinations"
	case protocol.AllNodes:
		task += " against all nodes"
	}
	if r.onCard() {
		task += ", on a card"
	}
	return string(r.Mode) + ", " + task
}

// row is the point's; why it failed becomes a footnote.
func (r Report) row(p Point, t *table.Table) table.Row {
	var row table.Row
	for i, c := range r.columns() {
		if p.Failed() && i > 1 {
			row = append(row, table.Entry{Text: "–"})
			continue
		}
		row = append(row, c.entry(p))
	}
	if p.Failed() {
		t.Notes = append(t.Notes, p.Error)
		row[1].Notes = []int{len(t.Notes)}
	}
	return row
}

// interval is a number between two others.
func interval(x, low, high optional.Number, decimals int) table.Entry {
	return table.Entry{Value: &table.Value{Mean: x, Std: optional.Absent(), Low: low, High: high, Decimals: decimals}}
}

// rounded is a number with so many digits behind the point, or a dash.
func rounded(x optional.Number, decimals int) table.Entry {
	if !x.Present() {
		return table.Entry{Text: "–"}
	}
	whole, part := math.Modf(math.Round(float64(x)*math.Pow10(decimals)) / math.Pow10(decimals))
	text := grouped(strconv.FormatFloat(whole, 'f', 0, 64))
	if decimals > 0 {
		text += strings.TrimLeft(strconv.FormatFloat(math.Abs(part), 'f', decimals, 64), "0")
	}
	return table.Entry{Text: text}
}

// grouped puts commas into a whole number; other texts stay.
func grouped(number string) string {
	if _, err := strconv.ParseUint(number, 10, 64); err != nil {
		return number
	}
	var out strings.Builder
	for i, digit := range number {
		if i > 0 && (len(number)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(digit)
	}
	return out.String()
}
