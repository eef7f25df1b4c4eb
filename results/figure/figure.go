package figure

import (
	"bytes"
	"html/template"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/escape"
	"dgsbench/internal/optional"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a drawing with what stands above and below it.
type Figure struct {
	Name     string // of its files, without an ending
	Title    string
	Caption  string
	SVG, PNG []byte
}

// Inline is the drawing as a part of a page, named for those who cannot see
// it.
func (f Figure) Inline() template.HTML {
	_, drawing, _ := strings.Cut(string(f.SVG), "<svg")
	return template.HTML(`<svg role="img" aria-label="` + escape.HTML(f.Title) + `"` + drawing)
}

// Panel is a part of a figure with axes of its own. X is positive.
type Panel struct {
	Title, X, Y string
	Points      []Point
}

// Point is drawn with its label beside it.
type Point struct {
	Series int // points of one series have one colour, in all panels
	Label  string
	Hollow bool
	X, Y   Value
}

// Value is a coordinate with its standard deviation, which may be absent.
type Value struct {
	Mean float64
	Std  optional.Number
}

// Size of a panel.
const (
	panelWidth  = 13 * vg.Centimeter
	panelHeight = 9 * vg.Centimeter
	pixelsInch  = 150
)

// Draw puts up to two panels side by side. At least one must have a point.
func Draw(panels []Panel) (Figure, error) {
	tiles := draw.Tiles{
		Cols: min(2, len(panels)), Rows: (len(panels) + 1) / 2,
		PadX: vg.Centimeter, PadY: vg.Centimeter, PadTop: vg.Centimeter / 2, PadBottom: vg.Centimeter / 4,
		PadLeft: vg.Centimeter / 4, PadRight: vg.Centimeter / 2,
	}
	plots := make([][]*plot.Plot, tiles.Rows)
	colours := inks(panels)
	for i, p := range panels {
		drawn, err := p.plot(colours)
		if err != nil {
			return Figure{}, err
		}
		plots[i/tiles.Cols] = append(plots[i/tiles.Cols], drawn)
	}
	for len(plots[tiles.Rows-1]) < tiles.Cols {
		plots[tiles.Rows-1] = append(plots[tiles.Rows-1], nil)
	}
	width, height := panelWidth*vg.Length(tiles.Cols), panelHeight*vg.Length(tiles.Rows)
	svg := vgsvg.New(width, height)
	png := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pixelsInch))}
	var f Figure
	for _, c := range []struct {
		canvas vg.CanvasWriterTo
		file   *[]byte
	}{{svg, &f.SVG}, {png, &f.PNG}} {
		drawTiles(draw.NewCanvas(c.canvas, width, height), plots, tiles)
		var out bytes.Buffer
		if _, err := c.canvas.WriteTo(&out); err != nil {
			return Figure{}, err
		}
		*c.file = out.Bytes()
	}
	return f, nil
}

// drawTiles draws on white, so that the figure can be read on any page.
func drawTiles(c draw.Canvas, plots [][]*plot.Plot, tiles draw.Tiles) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	for i, row := range plot.Align(plots, tiles, c) {
		for j, tile := range row {
			if plots[i][j] != nil {
				plots[i][j].Draw(tile)
			}
		}
	}
}

// inks gives every series that is drawn its colour.
func inks(panels []Panel) map[int]color.Color {
	var series []int
	for _, p := range panels {
		for _, pt := range p.Points {
			series = append(series, pt.Series)
		}
	}
	slices.Sort(series)
	out := map[int]color.Color{}
	for i, n := range slices.Compact(series) {
		out[n] = plotutil.DarkColors[i%len(plotutil.DarkColors)]
	}
	return out
}

// plot draws the panel.
func (p Panel) plot(inks map[int]color.Color) (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text = escape.Text(p.Title)
	out.X.Label.Text, out.Y.Label.Text = escape.Text(p.X), escape.Text(p.Y)
	out.Add(plotter.NewGrid())
	for _, pt := range p.Points {
		if err := pt.draw(out, inks[pt.Series]); err != nil {
			return nil, err
		}
	}
	p.fitAxes(out)
	return out, p.label(out, inks)
}

// fitAxes leaves room around the points. Values of X far apart want a
// logarithmic axis.
func (p Panel) fitAxes(on *plot.Plot) {
	const step = 5 // of an axis in per cent
	on.Y.Min, on.Y.Max = step*math.Floor((on.Y.Min-1)/step), step*math.Ceil((on.Y.Max+1)/step)
	if on.X.Max/on.X.Min < 3 {
		room := max(.15*(on.X.Max-on.X.Min), .05*on.X.Max)
		on.X.Min, on.X.Max = on.X.Min-room, on.X.Max+room
		return
	}
	on.X.Scale, on.X.Tick.Marker = plot.LogScale{}, decadeTicks{}
	on.X.Min, on.X.Max = on.X.Min/1.5, on.X.Max*1.5
}

// decadeTicks labels 1, 2 and 5 of every power of ten.
type decadeTicks struct{}

// Ticks are between two positive numbers.
func (decadeTicks) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for digit := 1.0; digit < 10; digit++ {
			tick := plot.Tick{Value: digit * power}
			if digit == 1 || digit == 2 || digit == 5 {
				tick.Label = strconv.FormatFloat(tick.Value, 'g', 2, 64)
			}
			if tick.Value >= low && tick.Value <= high {
				out = append(out, tick)
			}
		}
	}
	return out
}

// pointErrors are a point with the deviations of both values.
type pointErrors struct {
	plotter.XYs
	plotter.XErrors
	plotter.YErrors
}

func (pt Point) draw(on *plot.Plot, ink color.Color) error {
	at := pointErrors{
		XYs:     plotter.XYs{{X: pt.X.Mean, Y: pt.Y.Mean}},
		XErrors: plotter.XErrors{pt.X.deviation()}, YErrors: plotter.YErrors{pt.Y.deviation()},
	}
	mark, err := plotter.NewScatter(at)
	if err != nil {
		return err
	}
	mark.Color, mark.Radius, mark.Shape = ink, vg.Points(3.5), draw.CircleGlyph{}
	if pt.Hollow {
		mark.Shape = draw.RingGlyph{}
	}
	across, err := plotter.NewXErrorBars(at)
	if err != nil {
		return err
	}
	upwards, err := plotter.NewYErrorBars(at)
	if err != nil {
		return err
	}
	across.Color, upwards.Color = ink, ink
	on.Add(across, upwards, mark)
	return nil
}

// deviation is how far a value reaches to both sides. It stays above zero,
// which a logarithmic axis does not have.
func (v Value) deviation() struct{ Low, High float64 } {
	if !v.Std.Present() {
		return struct{ Low, High float64 }{}
	}
	return struct{ Low, High float64 }{min(float64(v.Std), .9*v.Mean), float64(v.Std)}
}
