package figure

import (
	"cmp"
	"image/color"
	"slices"

	"dgsbench/internal/escape"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// box is where a label lies within the panel.
type box struct{ left, right, bottom, top vg.Length }

func (b box) overlaps(c box) bool {
	return b.left < c.right && c.left < b.right && b.bottom < c.top && c.bottom < b.top
}

// The part of a panel between its axes, about.
const (
	innerWidth  = panelWidth - 3*vg.Centimeter
	innerHeight = panelHeight - 3*vg.Centimeter
	labelGap    = vg.Length(6) // points between a mark and its label
)

// legible is a colour dark enough to be read on white: letters are thinner
// than marks.
func legible(c color.Color) color.Color {
	r, g, b, a := c.RGBA()
	darker := func(x uint32) uint16 { return uint16(x * 3 / 5) }
	return color.RGBA64{darker(r), darker(g), darker(b), uint16(a)}
}

// label writes the points' names beside them, from the highest down, each as
// far below its place as the names before it make necessary.
func (p Panel) label(on *plot.Plot, inks map[int]color.Color) error {
	points := slices.Clone(p.Points)
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(b.Y.Mean, a.Y.Mean) })
	var taken []box
	for _, pt := range points {
		name := escape.Text(pt.Label)
		at := plotter.XYs{{X: pt.X.Mean, Y: pt.Y.Mean}}
		label, err := plotter.NewLabels(plotter.XYLabels{XYs: at, Labels: []string{name}})
		if err != nil {
			return err
		}
		style := &label.TextStyle[0]
		style.Font.Size, style.Color = vg.Points(9), legible(inks[pt.Series])
		x, y := vg.Length(on.X.Norm(at[0].X))*innerWidth, vg.Length(on.Y.Norm(at[0].Y))*innerHeight
		size := style.Rectangle(name).Size()
		b := box{x + labelGap, x + labelGap + size.X, y + 2, y + 2 + size.Y}
		label.Offset = vg.Point{X: labelGap, Y: 2}
		if b.right > innerWidth { // to the left of the point
			style.XAlign, label.Offset.X = draw.XRight, -labelGap
			b.left, b.right = x-labelGap-size.X, x-labelGap
		}
		for slices.ContainsFunc(taken, b.overlaps) {
			b.bottom, b.top, label.Offset.Y = b.bottom-1, b.top-1, label.Offset.Y-1
		}
		taken = append(taken, b)
		on.Add(label)
	}
	return nil
}
