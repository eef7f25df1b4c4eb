package scale

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"dgsbench/internal/optional"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size of the figure.
const (
	figureWidth = 18 * vg.Centimeter
	panelHeight = 5 * vg.Centimeter
	// wide is from where on an axis is logarithmic: last by first value.
	wide = 20
)

// quantity is what a panel shows on its vertical axis.
type quantity struct {
	title string
	of    func(Point) (value, low, high optional.Number)
}

var quantities = []quantity{
	{"us/event", func(p Point) (value, low, high optional.Number) { return p.Micros, p.Low, p.High }},
	{"MB on the heap", func(p Point) (value, low, high optional.Number) { return p.Held, p.Held, p.Held }},
}

// SVG draws time (median and quartiles) and memory against every axis; nil
// where there is no point to draw.
func (r Report) SVG() ([]byte, error) {
	var panels [][]*plot.Plot
	for _, points := range r.drawn() {
		row := make([]*plot.Plot, len(quantities))
		for i, q := range quantities {
			var err error
			if row[i], err = panel(points, q); err != nil {
				return nil, err
			}
		}
		panels = append(panels, row)
	}
	if len(panels) == 0 {
		return nil, nil
	}
	panels[0][0].Title.Text = r.Title + ", " + r.what()
	canvas := vgsvg.New(figureWidth, panelHeight*vg.Length(len(panels)))
	tiles := draw.Tiles{
		Rows: len(panels), Cols: len(quantities), PadX: vg.Centimeter, PadY: vg.Centimeter / 2,
		PadRight: vg.Centimeter / 2, PadTop: vg.Centimeter / 4,
	}
	page := draw.New(canvas)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	for i, row := range plot.Align(panels, tiles, page) {
		for j, c := range row {
			panels[i][j].Draw(c)
		}
	}
	var out bytes.Buffer
	_, err := canvas.WriteTo(&out)
	return out.Bytes(), err
}

// drawn are the points that did not fail, axis by axis.
func (r Report) drawn() (out [][]Point) {
	axis := ""
	for _, p := range r.Points {
		if p.Failed() {
			continue
		}
		if axis != p.Axis {
			axis = p.Axis
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	return out
}

// marks are a panel's points with their intervals.
type marks struct {
	plotter.XYs
	plotter.YErrors
}

// panel draws one quantity of one sweep, from zero upwards.
func panel(points []Point, q quantity) (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = points[0].Axis, q.title
	var m marks
	for i, x := range places(p, points) {
		value, low, high := q.of(points[i])
		m.XYs = append(m.XYs, plotter.XY{X: x, Y: float64(value)})
		m.YErrors = append(m.YErrors, struct{ Low, High float64 }{float64(value - low), float64(high - value)})
	}
	line, dots, err := plotter.NewLinePoints(m)
	if err != nil {
		return nil, err
	}
	bars, err := plotter.NewYErrorBars(m)
	if err != nil {
		return nil, err
	}
	dots.Shape = draw.CircleGlyph{}
	p.Add(plotter.NewGrid(), line, dots, bars)
	p.Y.Min, p.Y.Max = 0, math.Max(p.Y.Max*1.1, 1e-3)
	return p, nil
}

// places are the points' horizontal ones: their values where these are
// numbers, with a logarithmic axis for a wide range, else 0, 1, 2 ... under
// their names.
func places(p *plot.Plot, points []Point) []float64 {
	x := make([]float64, len(points))
	least, most := math.Inf(1), math.Inf(-1)
	for i, point := range points {
		v, err := strconv.ParseFloat(point.Value, 64)
		if err != nil {
			return names(p, points)
		}
		x[i], least, most = v, math.Min(least, v), math.Max(most, v)
	}
	if least > 0 && most/least > wide {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powers{}
	}
	return x
}

// names puts the points under their values as they are.
func names(p *plot.Plot, points []Point) []float64 {
	x, labels := make([]float64, len(points)), make([]string, len(points))
	for i, point := range points {
		x[i], labels[i] = float64(i), point.Value
	}
	p.NominalX(labels...)
	return x
}

// powers labels the powers of ten of a logarithmic axis as 1e4.
type powers struct{}

// Ticks are between two positive numbers.
func (powers) Ticks(low, high float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(low, high)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = fmt.Sprintf("1e%.0f", math.Log10(t.Value))
		}
	}
	return ticks
}
