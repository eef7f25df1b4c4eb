package scale

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"dgsbench/internal/escape"
	"dgsbench/internal/optional"
	"dgsbench/protocol"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// Result is what came out of a plan.
type Result struct {
	Model      string                `json:"model"` // id, or id+variant
	Title      string                `json:"title"`
	Task       protocol.Task         `json:"task"`
	Mode       Mode                  `json:"mode"`
	Candidates protocol.CandidateSet `json:"candidates,omitempty"` // "" where nothing is ranked

	Base    Size    `json:"base"` // where an axis says nothing else
	Seed    uint64  `json:"seed"`
	Device  string  `json:"device"`
	Threads int     `json:"threads"` // where an axis says nothing else
	Machine string  `json:"machine"`
	Code    string  `json:"code"`
	Command string  `json:"command"`
	Points  []Point `json:"points"`
}

// Point is one measurement.
type Point struct {
	Axis  string `json:"axis"`
	Value string `json:"value"`
	Size
	Met    int `json:"nodes_met"` // nodes with an event
	Params int `json:"params"`

	// Microseconds of the model alone an event: median and quartiles over chunks.
	Micros optional.Number `json:"us_per_event"`
	Low    optional.Number `json:"us_low"`
	High   optional.Number `json:"us_high"`
	Drift  optional.Number `json:"drift"` // median of the second half of the chunks by that of the first; absent for less than 10

	Allocs optional.Number `json:"allocs_per_batch"` // objects on the heap, after the stream
	// Megabytes (1e6 bytes).
	Held   optional.Number `json:"held_mb"` // that the model keeps on the heap
	Peak   optional.Number `json:"peak_mb"` // the largest memory of the process; absent if unknown
	OnCard optional.Number `json:"card_mb"` // the largest memory of the model there; absent on the processor
	Error  string          `json:"error,omitempty"`
}

// Failed reports whether the model failed at the point.
func (p Point) Failed() bool { return p.Error != "" }

// Failed counts the points at which the model failed.
func (r Result) Failed() (n int) {
	for _, p := range r.Points {
		if p.Failed() {
			n++
		}
	}
	return n
}

var csvHeader = []string{
	"model", "task", "mode", "device", "axis", "value", "events", "nodes", "features", "batch", "nodes_met", "params",
	"us_per_event", "us_low", "us_high", "drift", "allocs_per_batch", "held_mb", "peak_mb", "card_mb", "error", "threads",
}

// WriteCSV writes a line a point, under the names of the JSON. Absent numbers
// are empty, others have six significant digits.
func (r Result) WriteCSV(w io.Writer) error {
	lines := [][]string{csvHeader}
	for _, p := range r.Points {
		line := []string{r.Model, string(r.Task), string(r.Mode), r.Device, p.Axis, p.Value}
		for _, n := range []int{p.Events, p.Nodes, p.Features, p.Batch, p.Met, p.Params} {
			line = append(line, strconv.Itoa(n))
		}
		for _, n := range []optional.Number{p.Micros, p.Low, p.High, p.Drift, p.Allocs, p.Held, p.Peak, p.OnCard} {
			text := ""
			if n.Present() {
				text = strconv.FormatFloat(float64(n), 'g', 6, 64)
			}
			line = append(line, text)
		}
		lines = append(lines, append(line, p.Error, strconv.Itoa(p.Threads)))
	}
	return escape.WriteCSV(w, lines)
}

// onCard reports whether a point says what its model took of a card.
func (r Result) onCard() bool {
	return slices.ContainsFunc(r.Points, func(p Point) bool { return p.OnCard.Present() })
}

// description names mode and task.
func (r Result) description() string {
	text := string(r.Mode) + ", "
	text += map[protocol.Task]string{protocol.NodeClassification: "node classification", protocol.LinkPrediction: "link prediction"}[r.Task]
	text += map[protocol.CandidateSet]string{protocol.Destinations: " against all destinations", protocol.AllNodes: " against all nodes"}[r.Candidates]
	if r.onCard() {
		text += ", on a card"
	}
	return text
}

// Table returns the result for readers: a block a sweep, errors as footnotes.
func (r Result) Table() table.Table {
	heads := []string{"axis", "value", "us/event", "events/s", "drift", "allocs/batch", "model MB", "peak MB", "nodes met"}
	legend := []string{
		fmt.Sprintf("where not said otherwise %s events of %d features among %s nodes, %d a batch, %d threads",
			table.Thousands(r.Base.Events), r.Base.Features, table.Thousands(r.Base.Nodes), r.Base.Batch, r.Base.Threads),
		fmt.Sprintf("us/event: median [quartiles] over chunks of %s events, the model alone", table.Thousands(chunkEvents)),
		"drift: second half of the stream by the first", "model MB: live on the heap", "peak MB: the whole process",
	}
	if r.onCard() {
		heads, legend = append(heads, "card MB"), append(legend, "card MB: the most that the model held there")
	}
	t := table.New(heads...)
	t.Columns[2].Kind = table.Measured
	t.Title, t.Command, t.Legend = fmt.Sprintf("%s, %s: what an event costs", r.Title, r.description()), r.Command, append(legend, r.Machine)
	for i, p := range r.Points {
		if i > 0 && r.Points[i-1].Axis != p.Axis {
			t.NextBlock()
		}
		row := []any{
			p.Axis, table.Entry{Text: grouped(p.Value), Notes: t.Note(p.Error)},
			&table.Value{Mean: p.Micros, Std: optional.Absent(), Low: p.Low, High: p.High, Decimals: 3},
			table.Number(1e6/p.Micros, 0), table.Number(p.Drift, 3), table.Number(p.Allocs, 0), table.Number(p.Held, 1), table.Number(p.Peak, 1),
			table.Thousands(p.Met), table.Number(p.OnCard, 1),
		}
		for c := 2; p.Failed() && c < len(row); c++ {
			row[c] = table.NoValue
		}
		t.Add(row[:len(heads)]...)
	}
	return t
}

// grouped separates the thousands of a whole number; other texts stay.
func grouped(text string) string {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || strconv.Itoa(n) != text {
		return text
	}
	return table.Thousands(n)
}

// SVG draws time and memory against every axis; it is nil without a point to draw.
func (r Result) SVG() ([]byte, error) {
	var panels []figure.Panel
	for _, points := range r.pointsByAxis() {
		time := panel(points, "time of an event (µs)", func(p Point) figure.Value {
			return figure.Value{Mean: float64(p.Micros), Low: float64(p.Low), High: float64(p.High)}
		})
		memory := panel(points, "memory of the model (MB)", func(p Point) figure.Value { return figure.Exact(float64(p.Held)) })
		panels = append(panels, time, memory)
	}
	if len(panels) == 0 {
		return nil, nil
	}
	panels[0].Title = r.Title + ", " + r.description()
	f, err := figure.Draw(figure.Size{Width: 10, Height: 5.5}, 2, panels)
	return f.SVG, err
}

// pointsByAxis returns the points that did not fail, axis by axis.
func (r Result) pointsByAxis() (axes [][]Point) {
	for _, p := range r.Points {
		if p.Failed() {
			continue
		}
		if n := len(axes); n == 0 || axes[n-1][0].Axis != p.Axis {
			axes = append(axes, nil)
		}
		axes[len(axes)-1] = append(axes[len(axes)-1], p)
	}
	return axes
}

// wide is the ratio of the largest to the smallest value of a logarithmic axis.
const wide = 20

// panel draws one quantity of one sweep, from zero upwards: against the values
// of the axis if these are numbers, else against their names.
func panel(points []Point, title string, y func(Point) figure.Value) figure.Panel {
	s := figure.Series{Mark: figure.Dot, Line: figure.Solid}
	x := figure.Axis{Label: Axis(points[0].Axis).label()}
	var values []float64
	for _, p := range points {
		x.Names = append(x.Names, p.Value)
		if v, err := strconv.ParseFloat(p.Value, 64); err == nil {
			values = append(values, v)
		}
	}
	if len(values) == len(points) {
		x.Names = nil
		if least := slices.Min(values); least > 0 && slices.Max(values)/least > wide {
			x.Scale = figure.Log
			x.Label += ", logarithmic"
		}
	}
	upper := 1e-3
	for i, p := range points {
		at := figure.Point{X: figure.Exact(float64(i)), Y: y(p)}
		if x.Names == nil {
			at.X = figure.Exact(values[i])
		}
		s.Points = append(s.Points, at)
		upper = max(upper, 1.1*at.Y.High)
	}
	return figure.Panel{X: x, Y: figure.Axis{Label: title, Max: upper}, Series: []figure.Series{s}}
}
