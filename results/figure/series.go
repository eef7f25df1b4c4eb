package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is that of Okabe and Ito, the darkest colours first, without yellow.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x22, 0x22, 0x22, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff},
}

var named = map[int]color.Color{Grey: color.Gray{0x60}, Blue: palette[0], Orange: palette[1]}

var (
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	dashes = [][]vg.Length{nil, {5, 2.5}, {1.5, 2}, {6, 2, 1.5, 2}}
)

const markRadius = vg.Length(3.2)

// ink returns the series' colour.
func (s Series) ink() color.Color {
	if c, ok := named[s.Color]; ok {
		return c
	}
	return palette[s.Color%len(palette)]
}

// stroke returns the style of the line. Where colours come again, dashes differ.
func (s Series) stroke() draw.LineStyle {
	line := draw.LineStyle{Color: s.ink(), Width: vg.Points(1.25)}
	switch {
	case s.Line == Dashed:
		line.Dashes = dashes[1]
	case s.Color >= 0:
		line.Dashes = dashes[s.Color/len(palette)%len(dashes)]
	}
	return line
}

// drawable returns the series without what the axes cannot have: such a point has no Y,
// and such an interval no width.
func (p Panel) drawable() []Series {
	out := slices.Clone(p.Series)
	for i, s := range out {
		out[i].Points = slices.Clone(s.Points)
		for k := range s.Points {
			pt := &out[i].Points[k]
			for _, along := range []struct {
				Axis
				*Value
			}{{p.X, &pt.X}, {p.Y, &pt.Y}} {
				if !along.has(along.Low) || !along.has(along.High) {
					along.Low, along.High = along.Mean, along.Mean
				}
				if !along.has(along.Mean) && (s.Mark != Box || !along.has(along.Low)) {
					pt.Y.Mean = math.NaN()
				}
			}
		}
	}
	return out
}

// drawMark draws the mark of a point.
func (s Series) drawMark(on draw.Canvas, at vg.Point) {
	shape := shapes[max(0, s.Color)%len(shapes)]
	if s.Mark == Triangle {
		shape = draw.PyramidGlyph{}
	}
	style := draw.GlyphStyle{Color: s.ink(), Radius: markRadius, Shape: shape}
	on.DrawGlyphNoClip(style, at)
	if s.Mark == Ring {
		style.Color, style.Radius = color.White, markRadius-1.3
		on.DrawGlyphNoClip(style, at)
	}
}

// drawLines draws a series' line.
func (f *frame) drawLines(on draw.Canvas, s Series) {
	for _, line := range f.lines(s) {
		on.StrokeLines(s.stroke(), on.ClipLinesXY(line)...)
	}
}

// drawPoints draws the marks and intervals of a series.
func (f *frame) drawPoints(on draw.Canvas, s Series) {
	bar := draw.LineStyle{Color: s.ink(), Width: vg.Points(.75)}
	for _, pt := range s.Points {
		if !finitePoint(pt) {
			continue
		}
		if s.Mark == Box {
			low, high := f.at(pt.X.Low, pt.Y.Low), f.at(pt.X.High, pt.Y.High)
			on.SetColor(s.ink())
			on.Fill(vg.Rectangle{Min: low, Max: high}.Path())
			continue
		}
		for _, b := range f.bars(pt) {
			on.StrokeLines(bar, on.ClipLinesXY(b[:])...)
		}
		if s.Mark != NoMark {
			s.drawMark(on, f.at(pt.X.Mean, pt.Y.Mean))
		}
	}
}

// lines returns the unbroken parts of a line.
func (f *frame) lines(s Series) (out [][]vg.Point) {
	if s.Line == NoLine {
		return nil
	}
	var line []vg.Point
	for _, pt := range append(slices.Clip(s.Points), Point{Y: Exact(math.NaN())}) {
		if !finitePoint(pt) {
			if len(line) > 1 {
				out = append(out, line)
			}
			line = nil
			continue
		}
		at := f.at(pt.X.Mean, pt.Y.Mean)
		if s.Line == Steps && len(line) > 0 {
			line = append(line, vg.Point{X: at.X, Y: line[len(line)-1].Y})
		}
		line = append(line, at)
	}
	return out
}

// bars returns the strokes of a point's error bars, with their caps, where its
// intervals have a width.
func (f *frame) bars(pt Point) (out [][2]vg.Point) {
	const half = vg.Length(2.5) // of a cap
	stroke := func(x0, y0, x1, y1 vg.Length) {
		out = append(out, [2]vg.Point{{X: x0, Y: y0}, {X: x1, Y: y1}})
	}
	if pt.X.Low < pt.X.High && finite(pt.X.High-pt.X.Low) {
		low, high := f.at(pt.X.Low, pt.Y.Mean), f.at(pt.X.High, pt.Y.Mean)
		stroke(low.X, low.Y, high.X, high.Y)
		stroke(low.X, low.Y-half, low.X, low.Y+half)
		stroke(high.X, low.Y-half, high.X, low.Y+half)
	}
	if pt.Y.Low < pt.Y.High && finite(pt.Y.High-pt.Y.Low) {
		low, high := f.at(pt.X.Mean, pt.Y.Low), f.at(pt.X.Mean, pt.Y.High)
		stroke(low.X, low.Y, high.X, high.Y)
		stroke(low.X-half, low.Y, low.X+half, low.Y)
		stroke(low.X-half, high.Y, low.X+half, high.Y)
	}
	return out
}

func finitePoint(p Point) bool { return finite(p.X.Mean) && finite(p.Y.Mean) }
