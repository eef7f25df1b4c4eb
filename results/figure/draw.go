package figure

import (
	"bytes"
	"cmp"
	"image/color"
	"math"
	"slices"

	"dgsbench/internal/escape"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size is that of a panel, in centimetres.
type Size struct{ Width, Height float64 }

const pixelsInch = 150

// Draw puts panels side by side, at most columns in a row. A figure needs at
// least one panel, and a panel at least one point.
func Draw(size Size, columns int, panels []Panel) (Figure, error) {
	var f Figure
	var err error
	if f.SVG, f.PNG, err = drawPanels(size, columns, panels); err != nil {
		return f, err
	}
	for _, p := range panels {
		svg, _, err := drawPanels(size, 1, []Panel{p})
		if err != nil {
			return f, err
		}
		f.Panels = append(f.Panels, PanelDrawing{p.Group, p.Title, svg})
	}
	return f, nil
}

func drawPanels(size Size, columns int, panels []Panel) (svg, png []byte, err error) {
	columns = min(columns, len(panels))
	tiles := draw.Tiles{
		Cols: columns, Rows: (len(panels) + columns - 1) / columns,
		PadX: vg.Centimeter, PadY: vg.Centimeter, PadTop: vg.Centimeter / 2, PadBottom: vg.Centimeter / 4,
		PadLeft: vg.Centimeter / 4, PadRight: vg.Centimeter / 2,
	}
	plots := make([][]*plot.Plot, tiles.Rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, columns)
	}
	for i, p := range panels {
		if plots[i/columns][i%columns], err = p.plot(size); err != nil {
			return nil, nil, err
		}
	}
	width, height := centimetres(size.Width)*vg.Length(tiles.Cols), centimetres(size.Height)*vg.Length(tiles.Rows)
	return compose(width, height, func(page draw.Canvas) {
		for i, row := range plot.Align(plots, tiles, page) {
			for j, tile := range row {
				if plots[i][j] != nil {
					plots[i][j].Draw(tile)
				}
			}
		}
	})
}

// compose returns what draw draws on a white page in both formats.
func compose(width, height vg.Length, content func(page draw.Canvas)) (svg, png []byte, err error) {
	for _, c := range []struct {
		canvas vg.CanvasWriterTo
		file   *[]byte
	}{
		{vgsvg.New(width, height), &svg},
		{vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pixelsInch))}, &png},
	} {
		page := draw.NewCanvas(c.canvas, width, height)
		page.SetColor(color.White) // to be read on any page
		page.Fill(page.Rectangle.Path())
		content(page)
		var out bytes.Buffer
		if _, err := c.canvas.WriteTo(&out); err != nil {
			return nil, nil, err
		}
		*c.file = out.Bytes()
	}
	return svg, png, nil
}

func centimetres(x float64) vg.Length { return vg.Length(x) * vg.Centimeter }

// plot draws the panel.
func (p Panel) plot(size Size) (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text = escape.Text(p.Title)
	p.X, p.Y = p.fitted()
	out.Legend.YOffs, out.Legend.Top, out.Legend.Left = 2*vg.Millimeter, p.LegendTop, p.LegendLeft
	if p.LegendTop {
		out.Legend.YOffs = -out.Legend.YOffs
	}
	out.Add(plotter.NewGrid())
	for _, s := range p.Series {
		if err := s.draw(out); err != nil {
			return nil, err
		}
	}
	p.X.apply(&out.X)
	p.Y.apply(&out.Y)
	return out, p.label(out, size)
}

// apply sets the ends, the scale and the labels of a plot's axis.
func (a Axis) apply(to *plot.Axis) {
	to.Label.Text, to.Min, to.Max = escape.Text(a.Label), a.Min, a.Max
	if a.logarithmic() {
		to.Scale = plot.LogScale{}
	}
	ticks := a.ticks()
	for i := range ticks {
		ticks[i].Label = escape.Text(ticks[i].Label)
	}
	to.Tick.Marker = plot.ConstantTicks(ticks)
}

// ink returns the series' colour.
func (s Series) ink() color.Color {
	if c, ok := named[s.Color]; ok {
		return c
	}
	return plotutil.DarkColors[s.Color%len(plotutil.DarkColors)]
}

func (s Series) draw(on *plot.Plot) error {
	if len(s.Points) == 0 {
		return nil
	}
	if s.Mark == Box {
		return s.drawBoxes(on)
	}
	at := make(plotter.XYs, len(s.Points))
	for i, pt := range s.Points {
		at[i] = plotter.XY{X: pt.X.Mean, Y: pt.Y.Mean}
		if math.IsInf(pt.X.High-pt.X.Low, 0) || math.IsInf(pt.Y.High-pt.Y.Low, 0) {
			return plotter.ErrInfinity
		}
		s.drawIntervals(on, pt)
	}
	line, mark, err := plotter.NewLinePoints(at)
	if err != nil {
		return err
	}
	line.Color, mark.Color, mark.Radius = s.ink(), s.ink(), vg.Points(3.5)
	var drawn []plot.Thumbnailer
	if s.Line != NoLine {
		if s.Line == Steps {
			line.StepStyle = plotter.PostStep
		} else if s.Line == Dashed {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		on.Add(line)
		drawn = append(drawn, line)
	}
	if s.Mark != NoMark {
		mark.Shape = map[Mark]draw.GlyphDrawer{Dot: draw.CircleGlyph{}, Ring: draw.RingGlyph{}, Triangle: draw.PyramidGlyph{}}[s.Mark]
		on.Add(mark)
		drawn = append(drawn, mark)
	}
	if s.Name != "" {
		on.Legend.Add(escape.Text(s.Name), drawn...)
	}
	return nil
}

// drawIntervals draws error bars where the point's intervals have a width.
func (s Series) drawIntervals(on *plot.Plot, pt Point) {
	at, line := plotter.XYs{{X: pt.X.Mean, Y: pt.Y.Mean}}, plotter.DefaultLineStyle
	line.Color = s.ink()
	if pt.X.Low < pt.X.High {
		bars := plotter.XErrors{{Low: pt.X.Mean - pt.X.Low, High: pt.X.High - pt.X.Mean}}
		on.Add(&plotter.XErrorBars{XYs: at, XErrors: bars, LineStyle: line, CapWidth: plotter.DefaultCapWidth})
	}
	if pt.Y.Low < pt.Y.High {
		bars := plotter.YErrors{{Low: pt.Y.Mean - pt.Y.Low, High: pt.Y.High - pt.Y.Mean}}
		on.Add(&plotter.YErrorBars{XYs: at, YErrors: bars, LineStyle: line, CapWidth: plotter.DefaultCapWidth})
	}
}

func (s Series) drawBoxes(on *plot.Plot) error {
	for _, pt := range s.Points {
		box, err := plotter.NewPolygon(plotter.XYs{
			{X: pt.X.Low, Y: pt.Y.Low}, {X: pt.X.High, Y: pt.Y.Low}, {X: pt.X.High, Y: pt.Y.High}, {X: pt.X.Low, Y: pt.Y.High},
		})
		if err != nil {
			return err
		}
		box.Color, box.LineStyle.Width = s.ink(), 0
		on.Add(box)
	}
	return nil
}

// legible returns a colour dark enough to be read on white: letters are thinner
// than marks.
func legible(c color.Color) color.Color {
	r, g, b, a := c.RGBA()
	darker := func(x uint32) uint16 { return uint16(x * 3 / 5) }
	return color.RGBA64{darker(r), darker(g), darker(b), uint16(a)}
}

// rectangle is where a label lies within the panel.
type rectangle struct{ left, right, bottom, top vg.Length }

func (b rectangle) overlaps(c rectangle) bool {
	return b.left < c.right && c.left < b.right && b.bottom < c.top && c.bottom < b.top
}

// label writes the points' labels beside them, from the highest point down, each
// as far below its place as the labels before it make necessary.
func (p Panel) label(on *plot.Plot, size Size) error {
	const gap = vg.Length(6)                                               // between a mark and its label
	width, height := centimetres(size.Width-3), centimetres(size.Height-3) // between the axes, about
	type labelled struct {
		Point
		ink color.Color
	}
	var points []labelled
	for _, s := range p.Series {
		for _, pt := range s.Points {
			if pt.Label != "" {
				points = append(points, labelled{pt, s.ink()})
			}
		}
	}
	slices.SortStableFunc(points, func(a, b labelled) int { return cmp.Compare(b.Y.Mean, a.Y.Mean) })
	var written []rectangle
	for _, pt := range points {
		name := escape.Text(pt.Label)
		label, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: pt.X.Mean, Y: pt.Y.Mean}}, Labels: []string{name}})
		if err != nil {
			return err
		}
		style := &label.TextStyle[0]
		style.Font.Size, style.Color = vg.Points(9), legible(pt.ink)
		x, y := vg.Length(on.X.Norm(pt.X.Mean))*width, vg.Length(on.Y.Norm(pt.Y.Mean))*height
		extent := style.Rectangle(name).Size()
		b := rectangle{x + gap, x + gap + extent.X, y + 2, y + 2 + extent.Y}
		label.Offset = vg.Point{X: gap, Y: 2}
		if b.right > width { // to the left of the point
			style.XAlign, label.Offset.X = draw.XRight, -gap
			b.left, b.right = x-gap-extent.X, x-gap
		}
		for slices.ContainsFunc(written, b.overlaps) {
			b.bottom, b.top, label.Offset.Y = b.bottom-1, b.top-1, label.Offset.Y-1
		}
		written = append(written, b)
		on.Add(label)
	}
	return nil
}
